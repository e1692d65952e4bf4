// A C interface of simdjson's DOM parser, which validates a line of JSON and returns the texts of its fields.
//
// A line must contain exactly one object. Its members are returned in order, and the members of an object one level below
// follow their parent. Deeper objects and arrays are validated and named, but their contents are not returned: no event has any.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The number of bytes after the end of a line that must be readable. Their values do not matter.
#define FUNNEL_JSON_PADDING 128

typedef enum {
  FUNNEL_JSON_OK = 0,
  FUNNEL_JSON_INVALID,              // not JSON
  FUNNEL_JSON_INVALID_UTF8,
  FUNNEL_JSON_NOT_AN_OBJECT,        // JSON, but no object
  FUNNEL_JSON_DUPLICATE_KEY,        // the same key twice in one object, at any level
  FUNNEL_JSON_LONE_SURROGATE,       // an escape that names half of a surrogate pair
  FUNNEL_JSON_TOO_DEEP,
  FUNNEL_JSON_TOO_MANY_KEYS,
  FUNNEL_JSON_NUMBER_OUT_OF_RANGE,  // grammatical perhaps, but no 64-bit integer and no finite double
  FUNNEL_JSON_OUT_OF_MEMORY,
} funnel_json_status;

typedef enum {
  FUNNEL_JSON_STRING,
  FUNNEL_JSON_INTEGER,
  FUNNEL_JSON_UNSIGNED,  // beyond INT64_MAX
  FUNNEL_JSON_DOUBLE,
  FUNNEL_JSON_TRUE,
  FUNNEL_JSON_FALSE,
  FUNNEL_JSON_NULL,
  FUNNEL_JSON_OBJECT,
  FUNNEL_JSON_ARRAY,
} funnel_json_kind;

// A member of an object. Its texts are UTF-8 without quotes and escapes, valid until the parser's next line.
typedef struct {
  const char *key;
  const char *text;  // of a string
  union {
    int64_t integer;
    uint64_t magnitude;
    double number;
  } value;
  uint32_t key_length;
  uint32_t text_length;
  uint32_t children;  // of an object at the top level: the number of the following fields that are its members
  uint32_t kind;      // a funnel_json_kind
} funnel_json_field;

typedef struct funnel_json_parser funnel_json_parser;

// Creates a parser for lines up to line_bytes_max, nested up to levels_max, with up to keys_max keys in one object. Returns NULL
// if there is not enough memory.
funnel_json_parser *funnel_json_parser_create(size_t line_bytes_max, size_t levels_max, size_t keys_max);
void funnel_json_parser_destroy(funnel_json_parser *parser);

// Parses one line. On FUNNEL_JSON_OK *fields points to *count fields, children included. FUNNEL_JSON_PADDING bytes
// after the line must be readable.
funnel_json_status funnel_json_parse(
    funnel_json_parser *parser, const char *line, size_t length, const funnel_json_field **fields, size_t *count);

// Like funnel_json_parse, but with all levels: `children` of any object or array is the number of the following fields below it, at all
// levels. The elements of an array have no key (NULL).
funnel_json_status funnel_json_parse_deep(
    funnel_json_parser *parser, const char *line, size_t length, const funnel_json_field **fields, size_t *count);

// The number of positions after the last one that may be read.
#define FUNNEL_JSON_INDEX_MARGIN 4

// Finds the offsets of the tokens of a batch of lines with simdjson's first stage.
typedef struct funnel_json_indexer funnel_json_indexer;

// Creates an indexer of batches up to bytes_max. Returns NULL if there is not enough memory.
funnel_json_indexer *funnel_json_indexer_create(size_t bytes_max);
void funnel_json_indexer_destroy(funnel_json_indexer *indexer);

// Finds the tokens of a batch. On FUNNEL_JSON_OK, *positions points to *count ascending offsets: those of every bracket, brace, colon
// and comma outside of strings, of every opening quote, and of the first byte of every other scalar. `length` follows them
// FUNNEL_JSON_INDEX_MARGIN times. The batch is then UTF-8, and every string in it ends before the next control character; its grammar
// is not checked. FUNNEL_JSON_PADDING bytes after the batch must be readable. The positions are valid until the next call.
funnel_json_status funnel_json_index(
    funnel_json_indexer *indexer, const char *bytes, size_t length, const uint32_t **positions, size_t *count);

// Decodes the escapes of a string. `text` is the address after the opening quote; a quote ends the string. The result needs as much
// room as the text and FUNNEL_JSON_PADDING bytes. Returns its length, or -1 if an escape is invalid or names half of a surrogate pair.
ptrdiff_t funnel_json_unescape(const funnel_json_indexer *indexer, const char *text, char *result);

// Returns the value of a JSON number, correctly rounded, or infinity if it is too large for a double.
double funnel_json_number(const char *first, const char *end);

#ifdef __cplusplus
}
#endif
