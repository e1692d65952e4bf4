#include "CSimdJSON.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>

using namespace simdjson;

struct funnel_json_indexer {
  std::unique_ptr<internal::dom_parser_implementation> parser;
};

namespace {

// Later versions of simdjson have a parameter that replaces invalid characters. Both overloads reject them.
template <typename Parser>
auto parse_string(const Parser &parser, const uint8_t *text, uint8_t *result, int) -> decltype(parser.parse_string(text, result, false)) {
  return parser.parse_string(text, result, false);
}

template <typename Parser>
auto parse_string(const Parser &parser, const uint8_t *text, uint8_t *result, long) -> decltype(parser.parse_string(text, result)) {
  return parser.parse_string(text, result);
}

}  // namespace

funnel_json_indexer *funnel_json_indexer_create(size_t bytes_max) {
  std::unique_ptr<funnel_json_indexer> indexer(new (std::nothrow) funnel_json_indexer);
  if (!indexer) return nullptr;
  // One level: the stage that tracks nesting is never run.
  if (get_active_implementation()->create_dom_parser_implementation(bytes_max, 1, indexer->parser) != SUCCESS) return nullptr;
  return indexer.release();
}

void funnel_json_indexer_destroy(funnel_json_indexer *indexer) { delete indexer; }

funnel_json_status funnel_json_index(
    funnel_json_indexer *indexer, const char *bytes, size_t length, const uint32_t **positions, size_t *count) {
  error_code error = indexer->parser->stage1(reinterpret_cast<const uint8_t *>(bytes), length, stage1_mode::regular);
  if (error == EMPTY) {
    *count = 0;
    return FUNNEL_JSON_OK;
  }
  if (error != SUCCESS) return FUNNEL_JSON_INVALID;
  uint32_t *indexes = indexer->parser->structural_indexes.get();
  *positions = indexes;
  *count = indexer->parser->n_structural_indexes;
  // The library allocates room for nine more.
  for (size_t i = 0; i < FUNNEL_JSON_INDEX_MARGIN; ++i) indexes[*count + i] = static_cast<uint32_t>(length);
  return FUNNEL_JSON_OK;
}

ptrdiff_t funnel_json_unescape(const funnel_json_indexer *indexer, const char *text, char *result) {
  uint8_t *start = reinterpret_cast<uint8_t *>(result);
  const uint8_t *end = parse_string(*indexer->parser, reinterpret_cast<const uint8_t *>(text), start, 0);
  if (!end) return -1;
  // Three bytes that encode a surrogate come from an escape that names half a pair: stage 1 rejects them in the text itself.
  const uint8_t *position = start;
  while ((position = static_cast<const uint8_t *>(std::memchr(position, 0xED, end - position)))) {
    if (end - position >= 2 && position[1] >= 0xA0) return -1;
    ++position;
  }
  return end - start;
}

double funnel_json_number(const char *first, const char *end) { return internal::from_chars(first, end); }
