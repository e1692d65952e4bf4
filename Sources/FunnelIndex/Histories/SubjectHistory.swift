public import FunnelModel

/// All of one subject's events that a query is about, whatever flow they belong to, in the order of specification section 3.
///
/// That order is (`ts`, `seq` or 0, place of the step entered, `id`, `name`), so the events of each of the subject's groups stand in their
/// own order too. Events of flows the query is not about, of no flow, and after `now` are left out.
///
/// A history borrows its columns: it is valid only inside the call that hands it out.
public struct SubjectHistory {
  /// How many events; at least one.
  public let count: Int
  /// What each event means: a code of the source's ``HistorySource/kinds``.
  public let kinds: UnsafePointer<UInt32>
  /// When each happened, in milliseconds since the epoch, ascending.
  public let times: UnsafePointer<Int64>
  /// A hash of the attempt each names, 0 where it names none; nil unless a flow counts by attempt.
  public let attempts: UnsafePointer<UInt64>?
  /// The row of each event's dimension values in ``HistorySource/segments``; nil unless the query names a stored dimension.
  public let rows: UnsafePointer<UInt32>?

  public init(
    count: Int, kinds: UnsafePointer<UInt32>, times: UnsafePointer<Int64>, attempts: UnsafePointer<UInt64>? = nil,
    rows: UnsafePointer<UInt32>? = nil
  ) {
    self.count = count
    self.kinds = kinds
    self.times = times
    self.attempts = attempts
    self.rows = rows
  }
}

/// Where histories come from: raw files, a store's index, a test.
///
/// Partitions share no subject, so each can be folded by itself, on any core and in any order.
public protocol HistorySource: Sendable {
  /// What the codes of the histories mean.
  var kinds: [KindTable.Entry] { get }
  /// The dimension values of the events.
  var segments: SegmentTable { get }
  /// Into how many partitions the subjects are hashed.
  var partitionCount: Int { get }

  /// Hands out the histories of one partition, each once, in any order.
  func forEachHistory(inPartition number: Int, _ body: (SubjectHistory) throws(FunnelError) -> Void) throws(FunnelError)

  /// Lets go of a share of the memory that reading has filled, once nobody reads any more, or soon.
  ///
  /// - Parameters:
  ///   - number: Which share, from 0; each of the threads that read takes one.
  ///   - count: How many shares there are.
  func releaseMemory(share number: Int, of count: Int)
}

extension HistorySource {
  public func releaseMemory(share number: Int, of count: Int) {}
}
