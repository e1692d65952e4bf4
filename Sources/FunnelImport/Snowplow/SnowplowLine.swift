import FunnelModel

/// A line of Snowplow's enriched stream: 131 fields with tabs between them, without quotes
/// (<https://docs.snowplow.io/docs/pipeline/enriched-tsv-format/>).
package enum SnowplowLine {
  /// Returns whether a text begins with the fields of an enriched event: times and an ID at their indices.
  ///
  /// - Parameter text: The beginning of a line, which may be cut off after its first fields.
  package static func isBeginning(_ text: Span<UInt8>) -> Bool {
    var fields = Fields(text)
    for index in 0...eventID {
      // Without a tab after it, the field may be cut off.
      guard let range = fields.next(), range.upperBound < text.count else { return false }
      let field = text.extracting(range)
      switch index {
      case collectorTime: guard isTime(field) else { return false }
      case enrichmentTime, deviceTime: guard field.isEmpty || isTime(field) else { return false }
      case eventID: return isUUID(field)
      default: break
      }
    }
    return false
  }

  /// Returns whether a line is a whole enriched event.
  static func isEvent(_ line: Span<UInt8>) -> Bool { fieldCount(of: line) == columns.count && isBeginning(line) }

  /// Returns the number of fields of a line.
  static func fieldCount(of line: Span<UInt8>) -> Int {
    var count = 1
    for index in line.indices where line[unchecked: index] == tab { count += 1 }
    return count
  }

  /// Appends a line as a JSON object whose keys are the names of the columns. Empty fields are omitted.
  ///
  /// - Returns: `false` if the line does not have the number of fields of an enriched event. Nothing is appended then.
  static func appendJSON(of line: Span<UInt8>, to json: LineBuffer) -> Bool {
    guard fieldCount(of: line) == columns.count else { return false }
    var fields = Fields(line)
    var isFirst = true
    json.append(UInt8(ascii: "{"))
    for column in columns {
      guard let range = fields.next(), !range.isEmpty else { continue }
      json.append(isFirst ? "\"" : ",\"")
      json.append(column)
      json.append("\":")
      json.appendJSONString(line.extracting(range))
      isFirst = false
    }
    json.append(UInt8(ascii: "}"))
    return true
  }

  private static let tab = UInt8(ascii: "\t")

  /// Iterates over the ranges of the fields of a line.
  private struct Fields: ~Escapable {
    private let line: Span<UInt8>
    /// The index of the next field's first byte, or `nil` after the last field.
    private var start: Int? = 0

    @_lifetime(copy line)
    init(_ line: Span<UInt8>) { self.line = line }

    @_lifetime(self: copy self)
    mutating func next() -> Range<Int>? {
      guard let start else { return nil }
      let remainder = line.extracting(start..<line.count)
      guard let length = remainder.firstIndex(of: SnowplowLine.tab) else {
        self.start = nil
        return start..<line.count
      }
      self.start = start + length + 1
      return start..<start + length
    }
  }

  private static func isTime(_ field: Span<UInt8>) -> Bool { WrittenTime(isoLike: field) != nil }

  private static func isUUID(_ field: Span<UInt8>) -> Bool {
    guard field.count == uuidBytes else { return false }
    return field.indices.allSatisfy { index in
      hyphens.contains(index) ? field[index] == UInt8(ascii: "-") : isHexadecimal(field[index])
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static let uuidBytes = 36
  /// The indices of the hyphens in a UUID.
  private static let hyphens = [8, 13, 18, 23]

  // The indices of the columns by which a line is recognized.
  private static let enrichmentTime = 2
  private static let collectorTime = 3
  private static let deviceTime = 4
  private static let eventID = 6

  /// The names of the columns.
  static let columns: [StaticString] = [
    "app_id", "platform", "etl_tstamp", "collector_tstamp", "dvce_created_tstamp", "event", "event_id", "txn_id",
    "name_tracker", "v_tracker", "v_collector", "v_etl", "user_id", "user_ipaddress", "user_fingerprint", "domain_userid",
    "domain_sessionidx", "network_userid", "geo_country", "geo_region", "geo_city", "geo_zipcode", "geo_latitude",
    "geo_longitude", "geo_region_name", "ip_isp", "ip_organization", "ip_domain", "ip_netspeed", "page_url", "page_title",
    "page_referrer", "page_urlscheme", "page_urlhost", "page_urlport", "page_urlpath", "page_urlquery", "page_urlfragment",
    "refr_urlscheme", "refr_urlhost", "refr_urlport", "refr_urlpath", "refr_urlquery", "refr_urlfragment", "refr_medium",
    "refr_source", "refr_term", "mkt_medium", "mkt_source", "mkt_term", "mkt_content", "mkt_campaign", "contexts",
    "se_category", "se_action", "se_label", "se_property", "se_value", "unstruct_event", "tr_orderid", "tr_affiliation",
    "tr_total", "tr_tax", "tr_shipping", "tr_city", "tr_state", "tr_country", "ti_orderid", "ti_sku", "ti_name",
    "ti_category", "ti_price", "ti_quantity", "pp_xoffset_min", "pp_xoffset_max", "pp_yoffset_min", "pp_yoffset_max",
    "useragent", "br_name", "br_family", "br_version", "br_type", "br_renderengine", "br_lang", "br_features_pdf",
    "br_features_flash", "br_features_java", "br_features_director", "br_features_quicktime", "br_features_realplayer",
    "br_features_windowsmedia", "br_features_gears", "br_features_silverlight", "br_cookies", "br_colordepth",
    "br_viewwidth", "br_viewheight", "os_name", "os_family", "os_manufacturer", "os_timezone", "dvce_type", "dvce_ismobile",
    "dvce_screenwidth", "dvce_screenheight", "doc_charset", "doc_width", "doc_height", "tr_currency", "tr_total_base",
    "tr_tax_base", "tr_shipping_base", "ti_currency", "ti_price_base", "base_currency", "geo_timezone", "mkt_clickid",
    "mkt_network", "etl_tags", "dvce_sent_tstamp", "refr_domain_userid", "refr_device_tstamp", "derived_contexts",
    "domain_sessionid", "derived_tstamp", "event_vendor", "event_name", "event_format", "event_version",
    "event_fingerprint", "true_tstamp",
  ]
}
