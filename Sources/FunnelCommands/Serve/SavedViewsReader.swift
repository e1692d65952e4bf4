import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelSystem

/// Reads the saved views of a store.
enum SavedViewsReader {
  /// Returns the menu of the views of a store, or `nil` if it has none.
  ///
  /// A list that can't be read has no effect on the page.
  static func menu(ofStore store: String, in catalog: FlowCatalog) -> ViewsMenu? {
    let path = StoragePath(store).inside(SavedViews.fileName)
    let disk = LocalFileSystem()
    guard (try? disk.status(of: path)) != nil, let bytes = try? disk.readAll(path, bytesMax: Limits.valueListBytesMax) else {
      return nil
    }
    let views = SavedViews(String(decoding: bytes, as: UTF8.self))
    return ViewsMenu(
      views.views.map { view in
        if let reason = problem(of: view.address, in: catalog) { return .broken(name: view.name, reason: reason) }
        return .link(PageLink(view.name, to: view.address))
      }, brokenLineCount: views.brokenLineCount)
  }

  /// Returns why an address leads nowhere, as the rest of a sentence, or `nil` if it leads to a page.
  private static func problem(of address: String, in catalog: FlowCatalog) -> String? {
    guard address.hasPrefix("/"), !address.hasPrefix("//"), !address.hasPrefix("/\\") else {
      return "its address does not begin with one /"
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
