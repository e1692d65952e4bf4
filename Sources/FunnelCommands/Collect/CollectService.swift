// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import FunnelCollect
  import FunnelServer
  import FunnelSystem

  /// Passes the requests of an HTTP server to a collector.
  struct CollectService: UploadService {
    private let collector: Collector
    private let metrics: CollectMetrics

    init(_ collector: Collector, metrics: CollectMetrics) {
      self.collector = collector
      self.metrics = metrics
    }

    func admission(of head: UploadHead) -> UploadAdmission {
      if let refusal = collector.refusal(ofMethod: head.method, path: head.path, headers: head.headers) {
        return .refused(ServerResponse(refusal))
      }
      return .read(Collector.allowsZstandard(path: head.path) ? [.gzip, .deflate, .zstd] : [.gzip, .deflate])
    }

    func take(_ request: UploadRequest, answer: @escaping @Sendable (ServerResponse) -> Void) {
      metrics.countReceivedBytes(request.receivedBytes)
      let head = request.head
      let received = CollectRequest(
        method: head.method, path: head.path, query: head.parameters, headers: head.headers,
        body: [UInt8](copying: request.body.span), receivedAt: request.receivedAt)
      // The server counts the memory of a request until it is released.
      collector.take(received) { result in
        answer(ServerResponse(result))
        withExtendedLifetime(request) {}
      }
    }

    func refusal(_ refusal: UploadRefusal, of head: UploadHead?) -> ServerResponse {
      ServerResponse(
        collector.answer(
          to: CollectRefusal(refusal.status, refusal.reason), path: head?.path, headers: head?.headers ?? []))
    }
  }

  extension ServerResponse {
    fileprivate init(_ answer: CollectAnswer) {
      self.init(status: answer.status, headers: answer.headers, body: answer.body)
    }
  }

  /// Inflates the gzip data of a body whose client did not say that it is compressed.
  enum GzipBody {
    /// The largest size of the result in bytes, and the largest ratio, which counts from some bytes on.
    private static let limits = UploadLimits()

    /// - Throws: A refusal if the data is corrupt, cut or too large.
    @Sendable
    static func inflated(_ body: [UInt8]) throws(CollectRefusal) -> [UInt8] {
      let inflater = BodyInflater(.gzip)
      var result: [UInt8] = []
      var consumed = 0
      while true {
        var status = BodyInflater.Status.needsInput
        let piece = [UInt8](capacity: 1 << 16) { output in
          let (taken, newStatus) = inflater.inflate(body.span.extracting(droppingFirst: consumed), into: &output)
          consumed += taken
          status = newStatus
        }
        result += piece
        let isBomb = result.count > limits.inflationRatioFromBytes && result.count > limits.inflationRatio * consumed
        if result.count > limits.inflatedBytes || isBomb { throw CollectRefusal(413, "the body is too large") }
        switch status {
        case .corrupt: throw CollectRefusal(400, "the compressed body is corrupt")
        case .outputFull: continue
        case .needsInput:
          guard inflater.isComplete else { throw CollectRefusal(400, "the compressed body is cut") }
          return result
        }
      }
    }
  }
#endif
