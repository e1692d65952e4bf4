// libFuzzer over the C++ shim alone, with the address sanitizer: `.ci/fuzz` builds it. The input lies in memory of just its length and the
// padding the shim asks for, so that a byte read beyond is seen.
#include <CSimdJSON.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

constexpr size_t bytes_max = 1 << 16;
constexpr size_t keys_max = 1024;

// Touches every byte a field claims to have.
size_t touch(const char *text, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += static_cast<unsigned char>(text[i]);
  return sum;
}

void require(bool condition) {
  if (!condition) std::abort();
}

void check_fields(const funnel_json_field *fields, size_t count) {
  volatile size_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const funnel_json_field &field = fields[i];
    sum += touch(field.key, field.key_length);
    if (field.kind == FUNNEL_JSON_STRING) sum += touch(field.text, field.text_length);
    require(field.kind <= FUNNEL_JSON_ARRAY);
    require(field.children <= keys_max && i + field.children < count);
    require(field.kind == FUNNEL_JSON_OBJECT || field.children == 0);
    if (field.kind == FUNNEL_JSON_DOUBLE) require(std::isfinite(field.value.number));
  }
}

void check_tokens(const funnel_json_indexer *indexer, const char *text, size_t length, const uint32_t *positions, size_t count) {
  std::unique_ptr<char[]> room(new char[length + FUNNEL_JSON_PADDING]);
  for (size_t i = 0; i < count; ++i) {
    require(positions[i] < length && (i == 0 || positions[i - 1] < positions[i]));
    if (text[positions[i]] != '"') continue;
    // The first stage has seen that the string ends.
    ptrdiff_t unescaped = funnel_json_unescape(indexer, text + positions[i] + 1, room.get());
    require(unescaped <= static_cast<ptrdiff_t>(length));
  }
  for (size_t i = 0; i < FUNNEL_JSON_INDEX_MARGIN; ++i) require(positions[count + i] == length);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static funnel_json_parser *parser = funnel_json_parser_create(bytes_max, 64, keys_max);
  static funnel_json_indexer *indexer = funnel_json_indexer_create(bytes_max);
  if (size == 0 || size > bytes_max) return 0;
  std::unique_ptr<char[]> text(new char[size + FUNNEL_JSON_PADDING]);
  std::memcpy(text.get(), data, size);
  std::memset(text.get() + size, 0, FUNNEL_JSON_PADDING);
  const funnel_json_field *fields = nullptr;
  size_t count = 0;
  if (funnel_json_parse(parser, text.get(), size, &fields, &count) == FUNNEL_JSON_OK) check_fields(fields, count);
  const uint32_t *positions = nullptr;
  if (funnel_json_index(indexer, text.get(), size, &positions, &count) == FUNNEL_JSON_OK && count > 0)
    check_tokens(indexer, text.get(), size, positions, count);
  return 0;
}
