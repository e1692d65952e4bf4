import FunnelModel

/// The vendor, the name and the version of a schema of Snowplow, by which data describes itself.
struct SnowplowSchema {
  /// The name, such as `signed_up`, as its address writes it.
  let name: [UInt8]
  /// The vendor, the name and the major version, as the analytics SDKs write them in keys: `com_acme_signed_up_1`.
  let key: [UInt8]

  /// Parses the address of a schema, such as `iglu:com.acme/signed_up/jsonschema/1-0-0`, or returns `nil` for another text.
  init?(address: Span<UInt8>) {
    guard address.starts(with: Self.scheme) else { return nil }
    let parts = [UInt8](copying: address.extracting(droppingFirst: Self.scheme.utf8CodeUnitCount))
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == Self.partCount, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    let name = Array(parts[1])
    let version = parts[3].prefix { $0 != UInt8(ascii: "-") }
    let separator = [UInt8(ascii: "_")]
    let vendor = NameFolding.fold(Array(parts[0]).span)
    self.name = name
    key = vendor + separator + NameFolding.fold(name.span) + separator + version
  }

  /// The scheme of addresses.
  private static let scheme: StaticString = "iglu:"
  /// The number of parts of an address: vendor, name, format and version.
  private static let partCount = 4

  /// Returns the schema in the key of an analytics SDK or a warehouse: `com_acme_signed_up_1` for `com_acme_signed_up_1_0_2`.
  static func withMajorVersion(_ key: [UInt8]) -> [UInt8] {
    let parts = key.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    let version = parts.suffix(Self.versionParts)
    guard parts.count > Self.versionParts, version.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return key }
    return Array(parts.dropLast(Self.versionParts - 1).joined(separator: [UInt8(ascii: "_")]))
  }

  /// Returns the vendor and the name in a key, without the version.
  static func withoutVersion(_ key: [UInt8]) -> [UInt8] {
    let key = withMajorVersion(key)
    guard let last = key.lastIndex(of: UInt8(ascii: "_")), key[(last + 1)...].allSatisfy(isDigit) else { return key }
    return Array(key[..<last])
  }

  /// The number of parts of a whole version: model, revision and addition.
  private static let versionParts = 3

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// An object with the address of a schema and data that the schema describes, such as
/// `{"schema":"iglu:com.acme/signed_up/jsonschema/1-0-0","data":{"plan":"pro"}}`.
struct SelfDescribingData {
  let schema: SnowplowSchema
  /// The index of the field that contains the data.
  let data: Int

  /// Creates the description of an object, or returns `nil` if the object does not describe itself.
  init?(index: Int, of fields: ImportedFields) {
    guard fields[index].isObject, let member = fields.member("schema", of: index), let address = fields[member].string,
      let schema = SnowplowSchema(address: address), let data = fields.member("data", of: index), !fields[data].isScalar
    else { return nil }
    self.schema = schema
    self.data = data
  }
}
