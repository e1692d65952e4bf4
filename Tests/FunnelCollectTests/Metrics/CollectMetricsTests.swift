import Dispatch
import FunnelCollect
import Testing

@Suite struct CollectMetricsTests {
  @Test func `the metrics are written in Prometheus's format, sorted by labels`() {
    let metrics = CollectMetrics()
    metrics.countRequest(dialect: "segment", status: 200)
    metrics.countRequest(dialect: "native", status: 401)
    metrics.countRequest(dialect: "native", status: 200)
    metrics.countRequest(dialect: "native", status: 200)
    metrics.countEvents(50, dialect: "native", app: "smilepile")
    metrics.countRefused(dialect: "native", reason: "missing_field")
    metrics.countReceivedBytes(15_000)
    metrics.countStaleSentAt(2)
    #expect(
      metrics.text(SpoolStatistics(bytes: 1 << 20, flushCount: 7, secondsBehind: 12.5)) == """
        # HELP funnel_collect_requests_total Requests by dialect and status.
        # TYPE funnel_collect_requests_total counter
        funnel_collect_requests_total{dialect="native",status="200"} 2
        funnel_collect_requests_total{dialect="native",status="401"} 1
        funnel_collect_requests_total{dialect="segment",status="200"} 1
        # HELP funnel_collect_events_total Events that were taken, by dialect and app.
        # TYPE funnel_collect_events_total counter
        funnel_collect_events_total{dialect="native",app="smilepile"} 50
        # HELP funnel_collect_refused_total Records that became dead letters, by dialect and reason.
        # TYPE funnel_collect_refused_total counter
        funnel_collect_refused_total{dialect="native",reason="missing_field"} 1
        # HELP funnel_collect_received_bytes_total Bytes of bodies as they were sent.
        # TYPE funnel_collect_received_bytes_total counter
        funnel_collect_received_bytes_total 15000
        # HELP funnel_collect_fsyncs_total Flushes of the spool to the disk.
        # TYPE funnel_collect_fsyncs_total counter
        funnel_collect_fsyncs_total 7
        # HELP funnel_collect_stale_sent_at_total Events whose sent_at was too far from received_at to correct their clock.
        # TYPE funnel_collect_stale_sent_at_total counter
        funnel_collect_stale_sent_at_total 2
        # HELP funnel_collect_spool_bytes Bytes of the files in the spool.
        # TYPE funnel_collect_spool_bytes gauge
        funnel_collect_spool_bytes 1048576
        # HELP funnel_collect_seconds_behind Age of the oldest file that was not ingested yet.
        # TYPE funnel_collect_seconds_behind gauge
        funnel_collect_seconds_behind 12.5

        """)
  }

  @Test func `many threads count without loss`() {
    let metrics = CollectMetrics()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { metrics.countEvents(2, dialect: "native", app: "smilepile") }
    }
    let text = metrics.text(SpoolStatistics(bytes: 0, flushCount: 0, secondsBehind: 0))
    #expect(text.contains("funnel_collect_events_total{dialect=\"native\",app=\"smilepile\"} 16000\n"))
  }
}
