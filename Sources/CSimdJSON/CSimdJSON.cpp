#include "CSimdJSON.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

using namespace simdjson;

static_assert(FUNNEL_JSON_PADDING >= SIMDJSON_PADDING, "lines need simdjson's padding");

struct funnel_json_parser {
  dom::parser dom;
  std::vector<funnel_json_field> fields;
  std::vector<std::string_view> keys;
  size_t keys_max = 0;
};

namespace {

// A decoded string contains the three bytes of a surrogate only if an escape named half a pair: stage 1 rejects them in the text itself.
bool has_surrogate(std::string_view text) {
  const char *position = text.data(), *end = position + text.size();
  while ((position = static_cast<const char *>(std::memchr(position, 0xED, end - position)))) {
    if (end - position >= 2 && static_cast<unsigned char>(position[1]) >= 0xA0) return true;
    ++position;
  }
  return false;
}

// The number of keys up to which comparing them pair by pair is faster than sorting them.
constexpr size_t pairwise_keys_max = 16;

// Few keys are compared pair by pair. More are sorted first, so that no line takes quadratic time.
bool has_duplicate(std::string_view *keys, size_t count) {
  if (count <= pairwise_keys_max) {
    for (size_t i = 1; i < count; ++i)
      for (size_t j = 0; j < i; ++j)
        if (keys[i] == keys[j]) return true;
    return false;
  }
  std::sort(keys, keys + count);
  return std::adjacent_find(keys, keys + count) != keys + count;
}

// Checks what simdjson does not check, at any depth: duplicate keys, lone surrogates, and the number of keys.
funnel_json_status check(funnel_json_parser &parser, dom::element element) {
  switch (element.type()) {
    case dom::element_type::STRING: {
      std::string_view text = element.get_string().value_unsafe();
      return has_surrogate(text) ? FUNNEL_JSON_LONE_SURROGATE : FUNNEL_JSON_OK;
    }
    case dom::element_type::ARRAY: {
      dom::array array = element.get_array().value_unsafe();
      for (dom::element child : array) {
        funnel_json_status status = check(parser, child);
        if (status != FUNNEL_JSON_OK) return status;
      }
      return FUNNEL_JSON_OK;
    }
    case dom::element_type::OBJECT: {
      size_t first = parser.keys.size();
      dom::object object = element.get_object().value_unsafe();
      for (dom::key_value_pair member : object) {
        if (has_surrogate(member.key)) return FUNNEL_JSON_LONE_SURROGATE;
        if (parser.keys.size() - first >= parser.keys_max) return FUNNEL_JSON_TOO_MANY_KEYS;
        parser.keys.push_back(member.key);
      }
      bool duplicate = has_duplicate(parser.keys.data() + first, parser.keys.size() - first);
      parser.keys.resize(first);
      if (duplicate) return FUNNEL_JSON_DUPLICATE_KEY;
      for (dom::key_value_pair member : object) {
        funnel_json_status status = check(parser, member.value);
        if (status != FUNNEL_JSON_OK) return status;
      }
      return FUNNEL_JSON_OK;
    }
    default: return FUNNEL_JSON_OK;
  }
}

void describe(funnel_json_field &field, dom::element element) {
  switch (element.type()) {
    case dom::element_type::STRING: {
      std::string_view text = element.get_string().value_unsafe();
      field.kind = FUNNEL_JSON_STRING;
      field.text = text.data();
      field.text_length = static_cast<uint32_t>(text.size());
      break;
    }
    case dom::element_type::INT64:
      field.kind = FUNNEL_JSON_INTEGER;
      field.value.integer = element.get_int64().value_unsafe();
      break;
    case dom::element_type::UINT64:
      field.kind = FUNNEL_JSON_UNSIGNED;
      field.value.magnitude = element.get_uint64().value_unsafe();
      break;
    case dom::element_type::DOUBLE:
      field.kind = FUNNEL_JSON_DOUBLE;
      field.value.number = element.get_double().value_unsafe();
      break;
    case dom::element_type::BOOL:
      field.kind = element.get_bool().value_unsafe() ? FUNNEL_JSON_TRUE : FUNNEL_JSON_FALSE;
      break;
    case dom::element_type::NULL_VALUE: field.kind = FUNNEL_JSON_NULL; break;
    case dom::element_type::OBJECT: field.kind = FUNNEL_JSON_OBJECT; break;
    case dom::element_type::ARRAY: field.kind = FUNNEL_JSON_ARRAY; break;
  }
}

void append_members(std::vector<funnel_json_field> &fields, dom::object object, bool with_children) {
  for (dom::key_value_pair member : object) {
    size_t index = fields.size();
    funnel_json_field field = {};
    field.key = member.key.data();
    field.key_length = static_cast<uint32_t>(member.key.size());
    describe(field, member.value);
    fields.push_back(field);
    if (with_children && field.kind == FUNNEL_JSON_OBJECT) {
      append_members(fields, member.value.get_object().value_unsafe(), false);
      fields[index].children = static_cast<uint32_t>(fields.size() - index - 1);
    }
  }
}

funnel_json_status status_of(error_code error, const char *line, size_t length) {
  if (!validate_utf8(line, length)) return FUNNEL_JSON_INVALID_UTF8;
  switch (error) {
    case MEMALLOC: return FUNNEL_JSON_OUT_OF_MEMORY;
    case DEPTH_ERROR: return FUNNEL_JSON_TOO_DEEP;
    case NUMBER_ERROR: return FUNNEL_JSON_NUMBER_OUT_OF_RANGE;
    default: return FUNNEL_JSON_INVALID;
  }
}

// Parses a line. The root may be of any type, and `check` has not been called for it.
funnel_json_status parse_object(funnel_json_parser &parser, const char *line, size_t length, dom::element &root) {
  error_code error = parser.dom.parse(line, length, false).get(root);
  if (error) return status_of(error, line, length);
  parser.fields.clear();
  parser.keys.clear();
  return FUNNEL_JSON_OK;
}

// Appends a value and its descendants, with the checks of `check`. Only an escape can name half a surrogate pair.
funnel_json_status append_deep(
    funnel_json_parser &parser, std::string_view key, dom::element element, bool has_escapes) {
  size_t index = parser.fields.size();
  funnel_json_field field = {};
  field.key = key.data();
  field.key_length = static_cast<uint32_t>(key.size());
  describe(field, element);
  parser.fields.push_back(field);
  switch (field.kind) {
    case FUNNEL_JSON_STRING:
      return has_escapes && has_surrogate({field.text, field.text_length}) ? FUNNEL_JSON_LONE_SURROGATE : FUNNEL_JSON_OK;
    case FUNNEL_JSON_OBJECT: {
      size_t first = parser.keys.size();
      for (dom::key_value_pair member : element.get_object().value_unsafe()) {
        if (has_escapes && has_surrogate(member.key)) return FUNNEL_JSON_LONE_SURROGATE;
        if (parser.keys.size() - first >= parser.keys_max) return FUNNEL_JSON_TOO_MANY_KEYS;
        parser.keys.push_back(member.key);
        funnel_json_status status = append_deep(parser, member.key, member.value, has_escapes);
        if (status != FUNNEL_JSON_OK) return status;
      }
      bool duplicate = has_duplicate(parser.keys.data() + first, parser.keys.size() - first);
      parser.keys.resize(first);
      if (duplicate) return FUNNEL_JSON_DUPLICATE_KEY;
      break;
    }
    case FUNNEL_JSON_ARRAY:
      for (dom::element child : element.get_array().value_unsafe()) {
        funnel_json_status status = append_deep(parser, std::string_view(), child, has_escapes);
        if (status != FUNNEL_JSON_OK) return status;
      }
      break;
    default: return FUNNEL_JSON_OK;
  }
  parser.fields[index].children = static_cast<uint32_t>(parser.fields.size() - index - 1);
  return FUNNEL_JSON_OK;
}

}  // namespace

funnel_json_parser *funnel_json_parser_create(size_t line_bytes_max, size_t levels_max, size_t keys_max) {
  std::unique_ptr<funnel_json_parser> parser(new (std::nothrow) funnel_json_parser);
  if (!parser || parser->dom.allocate(line_bytes_max, levels_max) != SUCCESS) return nullptr;
  parser->keys_max = keys_max;
  return parser.release();
}

void funnel_json_parser_destroy(funnel_json_parser *parser) { delete parser; }

funnel_json_status funnel_json_parse(
    funnel_json_parser *parser, const char *line, size_t length, const funnel_json_field **fields, size_t *count) {
  dom::element root;
  funnel_json_status status = parse_object(*parser, line, length, root);
  if (status == FUNNEL_JSON_OK) status = check(*parser, root);
  if (status != FUNNEL_JSON_OK) return status;
  dom::object object;
  if (root.get_object().get(object)) return FUNNEL_JSON_NOT_AN_OBJECT;
  append_members(parser->fields, object, true);
  *fields = parser->fields.data();
  *count = parser->fields.size();
  return FUNNEL_JSON_OK;
}

funnel_json_status funnel_json_parse_deep(
    funnel_json_parser *parser, const char *line, size_t length, const funnel_json_field **fields, size_t *count) {
  dom::element root;
  funnel_json_status status = parse_object(*parser, line, length, root);
  if (status != FUNNEL_JSON_OK) return status;
  if (!root.is_object()) return FUNNEL_JSON_NOT_AN_OBJECT;
  status = append_deep(*parser, std::string_view(), root, std::memchr(line, '\\', length) != nullptr);
  if (status != FUNNEL_JSON_OK) return status;
  // The first field is the object itself.
  *fields = parser->fields.data() + 1;
  *count = parser->fields.size() - 1;
  return FUNNEL_JSON_OK;
}
