// libFuzzer over the whole decoder: splitter, simdjson's first stage and its DOM, the walker, validation, canonical records, dead letters.
//
//     make fuzz            five minutes from the corpus
//     make fuzz SECONDS=60

import FunnelKernels

/// libFuzzer runs one test at a time.
enum Fuzzed {
  nonisolated(unsafe) static let check = DecodingCheck()
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLines(_ start: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  Fuzzed.check.run(UnsafeRawBufferPointer(start: start, count: size))
  return 0
}
