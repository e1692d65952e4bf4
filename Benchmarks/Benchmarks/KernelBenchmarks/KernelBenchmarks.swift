import Benchmark
import CAllocationCount
import FunnelKernels

/// The number of a kernel's allocations, which depends neither on the machine nor on its load.
let allocations = BenchmarkMetric.custom("Allocations", polarity: .prefersSmaller, useScalingFactor: false)

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [allocations], warmupIterations: 2, maxDuration: .seconds(5), maxIterations: 20,
    thresholds: [allocations: .init(relative: [.p90: 2.0], absolute: [.p90: 8])])

  Benchmark("inflate") { benchmark in
    let kernel = BlockKernel()
    measure(benchmark) { blackHole(kernel.inflate()) }
  }

  Benchmark("parse") { benchmark in
    var kernel = BlockKernel()
    blackHole(kernel.parse())
    measure(benchmark) { blackHole(kernel.parse()) }
  }

  Benchmark("encode") { benchmark in
    var kernel = BlockKernel()
    blackHole(kernel.encode())
    measure(benchmark) { blackHole(kernel.encode()) }
  }

  Benchmark("sort") { benchmark in
    let kernel = SortKernel()
    blackHole(try kernel.sort { body in measure(benchmark, body) })
  }

  // A benchmark's name becomes part of the file name of its threshold, so it has no spaces.
  let subjects = FoldKernel(subjects: 20_000)
  Benchmark("fold") { benchmark in
    measure(benchmark) { blackHole(try? subjects.fold()) }
  }

  Benchmark("fold-by-variant") { benchmark in
    measure(benchmark) { blackHole(try? subjects.fold(byContext: "variant")) }
  }

  Benchmark("fold-by-attempt") { benchmark in
    measure(benchmark) { blackHole(try? subjects.fold(countsAttempts: true)) }
  }
}

/// Measures a body, and counts its allocations.
private func measure(_ benchmark: Benchmark, _ body: () -> Void) {
  let before = allocation_count()
  benchmark.startMeasurement()
  body()
  benchmark.stopMeasurement()
  benchmark.measurement(allocations, Int(allocation_count() - before))
}
