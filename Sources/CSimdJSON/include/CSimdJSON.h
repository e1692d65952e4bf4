#pragma once
int funnel_placeholder(void);
