#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

// The names of a zip's entries are converted to the charset of the thread's locale: one whose charset is UTF-8, or NULL without any.
static inline locale_t funnel_utf8_locale(void) {
  locale_t found = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  return found ? found : newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
}

// Notes that a callback failed; archive_set_error takes a variable number of arguments, which Swift can't pass.
static inline void funnel_archive_fail(struct archive *archive) { archive_set_error(archive, -1, "the zip can't be read"); }
