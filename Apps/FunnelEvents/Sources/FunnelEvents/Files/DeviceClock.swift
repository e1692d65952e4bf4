import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The setting of the device's clock: its offset from the steady clock.
///
/// The steady clock can't be set. It counts from the start of the device, also while the device sleeps. So the setting stays the same until somebody, or the
/// network, sets the device's clock.
struct DeviceClock: Hashable, Sendable {
  /// The ID of the time between two starts of the device, in hexadecimal digits. Settings of different sessions can't be compared.
  let session: String
  /// The time of the device's clock minus that of the steady clock, in milliseconds.
  let offset: Int64

  /// The difference from which on a clock was set, in milliseconds. Smaller ones are the fine adjustments of the system.
  static let differenceMin: Int64 = 1000

  /// Whether the clock was not set between two settings.
  func isSame(as other: DeviceClock) -> Bool { shift(to: other) == 0 }

  /// Returns the number of milliseconds by which a time of this setting is moved to become one of another setting, or `nil` if that is not
  /// known, because the device was started in between.
  func shift(to other: DeviceClock) -> Int64? {
    guard session == other.session else { return nil }
    let difference = other.offset - offset
    return abs(difference) < Self.differenceMin ? 0 : difference
  }
}

/// A time of the device's clock, with the clock's setting.
struct Moment: Hashable, Sendable {
  /// The time of the device's clock.
  var date: Date
  /// The setting of the clock, or `nil` if it is not known.
  var clock: DeviceClock?

  /// The time of the device's clock.
  var time: Timestamp { Timestamp(date) }
}

/// A monotonic clock, which can't be set.
struct SteadyClock: Sendable {
  /// The ID of the time between two starts of the device, in hexadecimal digits.
  let session: String
  /// Returns the time since the start of the device, in milliseconds.
  let milliseconds: @Sendable () -> Int64

  /// The steady clock of the system.
  static let system = SteadyClock(session: bootID() ?? randomID(), milliseconds: systemMilliseconds)

  /// The longest time between two readings of this clock for the one between them to belong to both, in milliseconds.
  private static let readingMax: Int64 = 100
  private static let attemptsMax = 3

  /// Returns the time of a device's clock, with its setting.
  func moment(of clock: () -> Date) -> Moment {
    for _ in 0..<Self.attemptsMax {
      let before = milliseconds()
      let date = clock()
      // The process may be suspended between two readings, for hours.
      guard milliseconds() - before <= Self.readingMax else { continue }
      let offset = Timestamp(date).milliseconds - before
      return Moment(date: date, clock: offset >= 0 ? DeviceClock(session: session, offset: offset) : nil)
    }
    return Moment(date: clock(), clock: nil)
  }

  private static func systemMilliseconds() -> Int64 {
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The number of hexadecimal digits of a session's ID. They only tell the last few starts of one device apart, and never leave it.
  private static let idDigits = 8

  /// Returns the ID that the system gives to the time since the start of the device, or `nil` if it does not tell it.
  private static func bootID() -> String? {
    #if canImport(Darwin)
      var size = 0
      guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
      return digits(of: String(decoding: bytes, as: UTF8.self))
    #else
      let bytes = try? SystemCalls.contents(ofFileIfPresent: "/proc/sys/kernel/random/boot_id")
      return bytes.flatMap { digits(of: String(decoding: $0, as: UTF8.self)) }
    #endif
  }

  /// Returns an ID for this process. A change of the clock is then noticed only as long as the process runs.
  private static func randomID() -> String { digits(of: UUID().uuidString) ?? "0" }

  private static func digits(of text: String) -> String? {
    let digits = text.lowercased().filter(\.isHexDigit).prefix(idDigits)
    return digits.count == idDigits ? String(digits) : nil
  }
}
