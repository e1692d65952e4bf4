/// The files of `Schemas/`, compiled into the program.
#pragma once
#include <stddef.h>

/// A file: its path within `Schemas/`, its bytes, and their count.
typedef struct {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} funnel_schema_file;

/// Returns the privacy list, `privacy.json`.
const funnel_schema_file *_Nonnull funnel_privacy_file(void);

/// Returns all other files. Their count is stored in `count`.
const funnel_schema_file *_Nonnull funnel_schema_files(size_t *_Nonnull count);
