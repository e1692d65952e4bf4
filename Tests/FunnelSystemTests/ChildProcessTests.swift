import Foundation
import FunnelModel
import FunnelSystem
import Testing

/// A child is started, heard and ended, and whatever it does it does alone.
@Suite struct ChildProcessTests {
  private func shell(_ script: String, seconds: Int = 30, bytes: Int = 1 << 20) -> ChildProcess {
    ChildProcess(path: "/bin/sh", arguments: ["-c", script], secondsMax: seconds, outputBytesMax: bytes)
  }

  @Test func `what it writes and how it ends is told`() throws {
    let outcome = try shell("echo out; echo err >&2; exit 3").run()
    #expect(outcome.output == Array("out\n".utf8))
    #expect(outcome.errors == Array("err\n".utf8))
    #expect(outcome.status == 3)
  }

  @Test func `it reads nothing`() throws {
    #expect(try shell("cat; echo end").run().output == Array("end\n".utf8))
  }

  @Test func `one that a signal ended has no exit code`() throws {
    #expect(try shell("kill -SEGV $$").run().status == nil)
  }

  @Test func `much output is taken, and no more than allowed`() throws {
    let script = "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"
    let outcome = try shell(script, bytes: 3_000_000).run()
    #expect(outcome.output.count == 3_000_000 && outcome.status == 0)
    #expect(outcome.errors.count < 1 << 20)
    #expect(throws: ChildProcess.Stop.wroteTooMuch) { try shell(script, bytes: 2_999_999).run() }
  }

  @Test func `one that takes too long is ended`() {
    #expect(throws: ChildProcess.Stop.tookTooLong) { try shell("exec sleep 60", seconds: 1).run() }
  }

  @Test func `one that is killed is ended at once, before it runs or while`() throws {
    let early = shell("echo never")
    early.kill()
    #expect(throws: ChildProcess.Stop.killed) { try early.run() }
    let late = shell("exec sleep 60")
    let start = Date.now
    Thread.detachNewThread {
      usleep(200_000)
      late.kill()
    }
    #expect(throws: ChildProcess.Stop.killed) { try late.run() }
    #expect(Date.now.timeIntervalSince(start) < 30)
    late.kill()
  }

  @Test func `a program that there is not is an error`() {
    let error = #expect(throws: FunnelError.self) {
      try ChildProcess(path: "/nonexistent", arguments: [], secondsMax: 1, outputBytesMax: 1).run()
    }
    #expect(error?.code == .inputOutput)
  }

  @Test func `several at once do not hold each other's pipes open`() {
    let start = Date.now
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let outcome = try? shell(number == 0 ? "sleep 3; echo \(number)" : "echo \(number)").run()
      #expect(outcome?.output == Array("\(number)\n".utf8))
      if number != 0 { #expect(outcome?.status == 0) }
    }
    #expect(Date.now.timeIntervalSince(start) < 60)
  }
}
