import Foundation
import FunnelModel

extension FlowDefinition {
  /// The flow definitions of the repository.
  static let shipped: [FlowDefinition] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Schemas/flows").standardized
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.map { file in
      do {
        return try FlowDefinition(json: Array(Data(contentsOf: file)), source: file.lastPathComponent)
      } catch {
        fatalError("\(error)")
      }
    }
  }()
}
