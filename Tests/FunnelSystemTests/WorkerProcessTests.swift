import FunnelSystem
import FunnelTestSupport
import Testing

/// Workers that keep to the exchange, and some that do not: shell scripts that read a request of a few bytes and answer on descriptor 3.
@Suite struct WorkerProcessTests {
  private func worker(_ script: String, secondsMax: Int = 60) throws -> WorkerProcess {
    try WorkerProcess(path: "/bin/bash", arguments: ["-c", script], secondsMax: secondsMax, outputBytesMax: 1 << 20)
  }

  /// Returns the command that says that a request is done.
  private func trailer(status: Int = 0, output: Int, errors: Int = 0, isLast: Bool = false) -> String {
    let bytes = [status, output, errors, isLast ? 1 : 0].flatMap { number in withUnsafeBytes(of: Int64(number)) { Array($0) } }
    return "printf '\(bytes.map { "\\x" + String($0, radix: 16) }.joined())' >&3"
  }

  /// The command that reads a request without arguments, and leaves the next one alone.
  private let readRequest = "dd bs=1 count=4 of=/dev/null 2>/dev/null"

  @Test func `a worker answers one request after another`() throws {
    let answer = "\(readRequest); printf one; printf two >&2; \(trailer(status: 65, output: 3, errors: 3))"
    let worker = try worker("\(answer); \(answer); \(readRequest)")
    for _ in 0..<2 {
      let outcome = try worker.ask([])
      #expect(String(decoding: outcome.output, as: UTF8.self) == "one")
      #expect(String(decoding: outcome.errors, as: UTF8.self) == "two")
      #expect(outcome.status == 65)
      #expect(worker.isRunning)
    }
  }

  @Test func `a worker that ends without saying that it is done has not answered, whatever it ended with`() throws {
    #expect(try worker("\(readRequest); printf part; exit 0").ask([]).status == nil)
    #expect(try worker("\(readRequest); printf part; exit 70").ask([]).status == 70)
    #expect(try worker("\(readRequest); kill -SEGV $$").ask([]).status == nil)
  }

  @Test func `a worker that says it wrote more than it did has not answered`() throws {
    let worker = try worker("\(readRequest); printf part; \(trailer(output: 5))")
    #expect(try worker.ask([]).status == nil)
    #expect(!worker.isRunning)
  }

  @Test func `a worker that closes standard output or error early costs no computing time while it is waited for`() throws {
    for (closing, output, errors) in [("2>&-", 3, 0), ("1>&-", 0, 0), ("1>&- 2>&-", 0, 0)] {
      let answer = output > 0 ? "printf end; " : ""
      let worker = try worker("\(readRequest); exec \(closing); sleep 2; \(answer)\(trailer(output: output, errors: errors))")
      let before = ComputingTime.seconds
      #expect(try worker.ask([]).status == 0, "\(closing)")
      #expect(ComputingTime.seconds - before < 0.5, "\(closing)")
    }
  }

  @Test func `a worker that closed what it says it wrote to has not answered`() throws {
    let worker = try worker("\(readRequest); exec 2>&-; \(trailer(output: 0, errors: 5)); exec sleep 1", secondsMax: 20)
    #expect(try worker.ask([]).status == nil)
  }

  @Test func `a worker that said that it ends now is not asked again`() throws {
    let worker = try worker("\(readRequest); printf end; \(trailer(output: 3, isLast: true))")
    #expect(try worker.ask([]).status == 0)
    #expect(!worker.isRunning)
  }

  @Test func `a worker that writes without end, or never, is killed`() throws {
    let endless = try worker("\(readRequest); exec cat /dev/zero")
    #expect(throws: ChildProcess.Stop.wroteTooMuch) { try endless.ask([]) }
    #expect(!endless.isRunning)
    let complaining = try worker("\(readRequest); exec cat /dev/zero >&2", secondsMax: 1)
    #expect(throws: ChildProcess.Stop.tookTooLong) { try complaining.ask([]) }
    let silent = try worker("\(readRequest); exec sleep 1000", secondsMax: 1)
    #expect(throws: ChildProcess.Stop.tookTooLong) { try silent.ask([]) }
    #expect(!silent.isRunning)
    let deaf = try worker("\(readRequest); exec 1>&- 2>&- 3>&-; exec sleep 1000", secondsMax: 1)
    #expect(throws: ChildProcess.Stop.tookTooLong) { try deaf.ask([]) }
    let lingering = try worker(
      "\(readRequest); printf end; \(trailer(output: 3, isLast: true)); exec sleep 1000", secondsMax: 2)
    #expect(try lingering.ask([]).status == 0)
    #expect(!lingering.isRunning)
  }
}
