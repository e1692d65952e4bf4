import FunnelModel

extension FormatLayout {
  /// The calls of Segment, as its warehouses, S3 destinations and webhooks write them. `timestamp` is already corrected for
  /// errors of the device's clock, so `originalTimestamp`, `sentAt` and `receivedAt` are not read.
  static let segment = FormatLayout(
    subject: ["anonymousId", "userId"],
    user: UserRule(accounts: ["userId"]),
    links: ["identify": LinkRule(user: "userId"), "alias": LinkRule(subject: "previousId", user: "userId")],
    identities: ["context.device.id", "context.groupId", "groupId", "previousId", "context.sessionId"],
    id: .first(["messageId"]),
    stamps: RecordStamps(["sentAt", "receivedAt"]),
    timestamp: ["timestamp"],
    receipt: "receivedAt",
    name: .call(type: "type", event: "event", name: "name"),
    properties: ["properties"],
    context: [
      ("app_version", ["context.app.version"]), ("app_build", ["context.app.build"]), ("os", ["context.os.name"]),
      ("os_version", ["context.os.version"]), ("device", ["context.device.model"]), ("locale", ["context.locale"]),
      ("country", ["context.location.country"]),
    ],
    personal: [
      "context.ip", "traits", "context.traits", "context.device.advertisingId", "context.device.name", "context.device.token",
      "context.device.idfa", "context.device.idfv", "context.idfa", "context.idfv", "context.location", "context.externalIds",
    ])

  /// The calls of RudderStack, which follow the Segment specification and add a few fields.
  static let rudderstack: FormatLayout = {
    var layout = segment
    layout.identities.append("rudderId")
    layout.personal += ["request_ip", "context.requestIP"]
    return layout
  }()
}
