import FunnelModel

extension FormatLayout {
  /// The enriched events of Snowplow, in the shape to which ``SnowplowNormalizer`` brings them.
  ///
  /// `derived_tstamp` is the device's time corrected by Snowplow. `contexts` is left out except for the values that are read.
  static let snowplow = FormatLayout(
    subject: [session("userId"), "domain_userid", "network_userid", "user_id"],
    user: UserRule(accounts: ["user_id"]),
    identities: [
      "domain_sessionid", "user_fingerprint", "refr_domain_userid", session("sessionId"), session("previousSessionId"),
    ],
    id: .first(["event_id"]),
    stamps: RecordStamps(["etl_tstamp", "collector_tstamp", "dvce_sent_tstamp", "load_tstamp"]),
    timestamp: ["derived_tstamp", "dvce_created_tstamp"],
    receipt: "collector_tstamp",
    timeNotation: .utcWithoutZone,
    name: .schema(type: "event", name: "event_name", action: "se_action", screen: "unstruct_event.name"),
    properties: ["unstruct_event", "struct_event", "page_event"],
    context: [
      ("app_version", [application("version")]), ("app_build", [application("build")]), ("os", deviceContexts("osType")),
      ("os_version", deviceContexts("osVersion")), ("device", deviceContexts("deviceModel")), ("locale", ["br_lang"]),
      ("country", ["geo_country"]),
    ],
    personal: [
      "user_ipaddress", "useragent", "geo_region", "geo_city", "geo_zipcode", "geo_latitude", "geo_longitude",
      "geo_location", "geo_region_name", "geo_timezone", "ip_isp", "ip_organization", "ip_domain", "ip_netspeed",
      "refr_urlscheme",
      "refr_urlhost", "refr_urlport", "refr_urlpath", "refr_urlquery", "refr_urlfragment", "refr_medium", "refr_source",
      "refr_term", "refr_device_tstamp", "mkt_clickid", "mkt_network", "tr_city", "tr_state", "contexts",
    ])

  private static func session(_ key: String) -> ImportedPath { context("snowplow_client_session_1", key) }

  private static func application(_ key: String) -> ImportedPath { context("mobile_application_1", key) }

  /// Returns the paths of a value in the contexts that describe a device, of all versions that trackers send.
  private static func deviceContexts(_ key: String) -> [ImportedPath] {
    ["mobile_context_1", "mobile_context_2", "mobile_context_3", "desktop_context_1"].map { context("snowplow_\($0)", key) }
  }

  /// Returns the path of a value in a context of Snowplow's own.
  private static func context(_ name: String, _ key: String) -> ImportedPath {
    ImportedPath(stringLiteral: "contexts.com_snowplowanalytics_\(name).\(key)")
  }
}
