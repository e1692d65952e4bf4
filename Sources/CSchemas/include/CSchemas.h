/// The files of `Schemas/`, compiled in: the tool needs no files beside itself.
#pragma once
#include <stddef.h>

/// One file: its path within `Schemas/`, its bytes, and their number.
typedef struct {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} funnel_schema_file;

/// The privacy list, `privacy.json`.
const funnel_schema_file *_Nonnull funnel_privacy_file(void);

/// All other files, by name; their number is stored in `count`.
const funnel_schema_file *_Nonnull funnel_schema_files(size_t *_Nonnull count);
