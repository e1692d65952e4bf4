package import FunnelDecoding
package import FunnelModel

/// Formats the names of unclaimed events, which no flow declares, with advice on correcting them.
package enum UnclaimedReport {
  /// Returns the names with their counts, most frequent first.
  package static func names(_ counts: [UnclaimedName: Int]) -> [(name: UnclaimedName, count: Int)] {
    counts.map { (name: $0.key, count: $0.value) }
      .sorted { $0.count != $1.count ? $0.count > $1.count : text($0.name) < text($1.name) }
  }

  /// Returns a name such as `cleaner: perm_fotos_granted` or `smilepile/onboarding: step_viewed (step pin_setpu)`.
  package static func text(_ name: UnclaimedName) -> String {
    let flow = name.flow.map { "/\($0)" } ?? ""
    let version = name.flowVersion.map { "@\($0)" } ?? ""
    let step = name.step.map { " (step \($0))" } ?? ""
    return "\(name.app)\(flow)\(version): \(name.name)\(step)".printable
  }

  /// Returns the name with any advice, such as `cleaner: perm_fotos_granted, did you mean
  /// perm_photos_granted?`.
  package static func text(_ name: UnclaimedName, advisedBy catalog: FlowCatalog) -> String {
    "\(text(name))\(advice(for: name, in: catalog).map { ", \($0)" } ?? "")"
  }

  /// Returns advice on correcting a name, or `nil` if no declared name is similar.
  ///
  /// For example `did you mean perm_photos_granted?`, or `restricted is not an answer: nobody was asked`.
  package static func advice(for name: UnclaimedName, in catalog: FlowCatalog) -> String? {
    let permissions = Set(catalog.definitions(ofApp: name.app).flatMap { $0.permissions.map(\.name) }).sorted()
    switch PermissionEventName.advice(for: name.name, permissions: permissions) {
    case .notAnAnswer(let suffix, let reason): return "\(suffix) is not an answer: \(reason)".printable
    case .meant(let meant): return "did you mean \(meant)?".printable
    case nil: return nearest(to: name, in: catalog).map { "did you mean \($0)?".printable }
    }
  }

  /// Returns the declared name, step, flow or app that was probably meant, or `nil` if none is similar.
  private static func nearest(to name: UnclaimedName, in catalog: FlowCatalog) -> String? {
    let ofApp = catalog.definitions(ofApp: name.app)
    guard !ofApp.isEmpty else {
      return NearestName.find(name.app, in: Set(catalog.suggestions.map(\.app)).sorted()).map { "app \($0)" }
    }
    let candidates = ofApp.filter { (name.flow ?? $0.flow) == $0.flow && (name.flowVersion ?? $0.version) == $0.version }
    guard !candidates.isEmpty else {
      return name.flow.flatMap { NearestName.find($0, in: Set(ofApp.map(\.flow)).sorted()) }.map { "flow \($0)" }
    }
    if let step = name.step, name.name.hasPrefix("step_") {
      let steps = candidates.flatMap { $0.steps.map(\.id) }
      if !steps.contains(step) { return NearestName.find(step, in: Set(steps).sorted()).map { "step \($0)" } }
    }
    return NearestName.find(name.name, in: Set(candidates.flatMap { FlowVocabulary($0).eventNames }).sorted())
  }
}
