/// The format of input records: funnel's own events, or the export of another product.
///
/// A format defines what a record means. A container (gzip, zip, JSON array, CSV) defines how records are
/// packed. ``csv`` is both.
package enum ImportFormat: String, Hashable, Sendable, CaseIterable {
  /// Funnel's own events (specification section 1).
  case native
  /// Segment's calls: <https://segment.com/docs/connections/spec/common/>.
  case segment
  /// RudderStack's calls: <https://www.rudderstack.com/docs/event-spec/standard-events/common-fields/>.
  case rudderstack
  /// Amplitude's export: <https://amplitude.com/docs/apis/analytics/export>.
  case amplitude
  /// Mixpanel's raw export: <https://developer.mixpanel.com/reference/raw-event-export>.
  case mixpanel
  /// PostHog's event export: <https://posthog.com/docs/cdp/batch-exports>.
  case posthog
  /// Rows of Google Analytics 4's export to BigQuery: <https://support.google.com/analytics/answer/7029846>.
  case ga4
  /// Enriched events of Snowplow, as lines of its stream or as JSON:
  /// <https://docs.snowplow.io/docs/pipeline/enriched-tsv-format/>.
  case snowplow
  /// CloudEvents 1.0 in JSON: <https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>.
  case cloudevents
  /// Any JSON objects, one event each. A mapping defines the meaning of the keys.
  case json
  /// Comma-separated values (RFC 4180). A mapping defines the meaning of the columns.
  case csv
}
