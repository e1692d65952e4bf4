import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// Reads the saved views of a store.
enum SavedViewsReader {
  /// Returns the menu of the views of a store, or `nil` if it has none. The menu says if the list can't be read.
  static func menu(ofStore store: String, in catalog: FlowCatalog) -> ViewsMenu? {
    let text: String?
    do {
      text = try StoreList.text(SavedViews.fileName, ofStore: store)
    } catch {
      return ViewsMenu([.broken(name: SavedViews.fileName, reason: "it can't be read")], brokenLineCount: 0)
    }
    return text.map { text in
      let views = SavedViews(text)
      return ViewsMenu(
        views.views.map { view in
          if let reason = problem(of: view.address, in: catalog) { return .broken(name: view.name, reason: reason) }
          return .link(PageLink(view.name, to: view.address))
        }, brokenLineCount: views.brokenLineCount)
    }
  }

  /// Returns the reason why there is no page at an address, as a clause, or `nil` if there is one.
  private static func problem(of address: String, in catalog: FlowCatalog) -> String? {
    guard address.hasPrefix("/"), !address.hasPrefix("//"), !address.hasPrefix("/\\") else {
      return "its address must start with a single /"
    }
    let text = address.prefix { $0 != "?" && $0 != "#" }
    let parts = text.split(separator: "/").map { URLText.decoded($0, plus: .literal) }
    guard !parts.contains(nil), let path = ServedPath(parts.compactMap(\.self)) else { return "there is no page \(text)" }
    switch path {
    case .flow(let flow, _), .comparison(let flow):
      return catalog.indices(of: flow).isEmpty ? "there is no flow \(flow)" : nil
    default: return nil
    }
  }
}
