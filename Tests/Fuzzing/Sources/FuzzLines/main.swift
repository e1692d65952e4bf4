// libFuzzer over the whole decoder: splitter, simdjson's first stage and its DOM, the walker, validation, canonical records, dead letters.
//
//     make fuzz            five minutes from the corpus
//     make fuzz SECONDS=60

import FunnelKernels

/// libFuzzer's own main, which the package manager's has taken the place of.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

nonisolated(unsafe) let kernel = DecodingCheck()
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
_ = runFuzzer(&count, &arguments) { start, size in
  kernel.run(UnsafeRawBufferPointer(start: start, count: size))
  return 0
}
