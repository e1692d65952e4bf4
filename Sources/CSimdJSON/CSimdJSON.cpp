#include "CSimdJSON.h"
#include <simdjson.h>
int funnel_placeholder(void) { return 0; }
