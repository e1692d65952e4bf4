import FunnelImport
import FunnelModel
internal import FunnelSystem

extension DeadLetter {
  /// Creates the dead letter of a rejected line or record, in which personal values are masked.
  ///
  /// - Parameters:
  ///   - options: The options of decoding.
  ///   - defaultApp: The app of events that name none, or `nil` if every event must name one.
  package init(
    _ rejection: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place, options: DecodingOptions,
    defaultApp: String?
  ) {
    self.init(rejection, text, at: place, options: options, flowPrivacy: nil, defaultApp: defaultApp)
  }

  /// Creates the dead letter of a rejected line or record, in which personal values are masked, also by the rules of flows.
  init(
    _ rejection: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place, options: DecodingOptions,
    flowPrivacy: FlowPrivacy?, defaultApp: String?
  ) {
    self.init(
      file: place.file, line: place.line, byteOffset: place.byteOffset, reason: rejection.reason, message: rejection.message,
      raw: [UInt8](copying: text.raw), rawByteCount: text.byteCount, isMasked: false, defaultApp: defaultApp)
    format = text.format
    header = text.header
    if let json = text.json { mask([UInt8](copying: json), options: options, flowPrivacy: flowPrivacy) }
  }

  /// Masks the personal values of the text.
  ///
  /// - Parameters:
  ///   - json: The text as JSON in the shape of its format.
  ///   - flowPrivacy: The rules of flows, or `nil` for none.
  mutating func mask(_ json: [UInt8], options: DecodingOptions, flowPrivacy: FlowPrivacy?) {
    guard let document = try? JSONDocument(parsing: json) else { return }
    var rules = [options.privacy]
    if let flowPrivacy, !flowPrivacy.isEmpty,
      let ofFlows = flowPrivacy.rules(ofApp: document.root["app"]?.string ?? options.defaultApp)
    {
      rules.append(ofFlows)
    }
    var mask = PersonalDataMask(rules, plan: format == .native ? nil : options.imports.plan(for: format))
    guard let masked = mask.masked(document) else { return }
    raw = masked
    isMasked = isMasked || mask.maskedTaken
    isLeftOutMasked = !isMasked
  }
}
