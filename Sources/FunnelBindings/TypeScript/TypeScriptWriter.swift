import FunnelModel

/// Generates the TypeScript bindings of a flow: a module with the union type of its events and a function that
/// builds the object of a log line.
struct TypeScriptWriter {
  private let bindings: FlowBindings

  init(_ bindings: FlowBindings) { self.bindings = bindings }

  /// Returns the generated source text, which starts with the header lines as comments.
  func text(header: [String]) -> String {
    var source = SourceText(indentation: "  ")
    for line in header { source.line("// \(SourceText.comment(line))") }
    source.line()
    writeConstants(to: &source)
    writeIDs("The steps of the flow.", "Step", bindings.steps, to: &source)
    if !bindings.permissions.isEmpty {
      writeIDs("The permissions that the flow asks for.", "Permission", bindings.permissions, to: &source)
    }
    source.line()
    source.line("export type Scalar = string | number | boolean | null;")
    source.line("/** Properties by key, without personal data. */")
    source.line("export type Properties = { [key: string]: Scalar | undefined };")
    writeEvents(to: &source)
    return source.text + lineFunction
  }

  private func writeConstants(to source: inout SourceText) {
    let flow = bindings.flow
    source.line("/** \(SourceText.comment(flow.title)): the flow \(flow.app)/\(flow.flow), version \(flow.version). */")
    source.line("export const app = \"\(flow.app)\";")
    source.line("export const flow = \"\(flow.flow)\";")
    source.line("export const flowVersion = \(flow.version);")
  }

  /// Writes a union type of string literals.
  private func writeIDs(_ comment: String, _ type: String, _ ids: [FlowBindings.ID], to source: inout SourceText) {
    source.line()
    source.line("/** \(comment) */")
    source.line("export type \(type) =")
    source.nested { source in
      for (index, id) in ids.enumerated() {
        if id.label != id.id { source.line("/** \(SourceText.comment(id.label)) */") }
        source.line("| \"\(id.id)\"\(index == ids.count - 1 ? ";" : "")")
      }
    }
  }

  private func writeEvents(to source: inout SourceText) {
    source.line()
    source.line("/** An event of the flow. A property that the definition does not list is given to {@link line}. */")
    source.line("export type \(bindings.typeName) =")
    source.nested { source in
      let members = bindings.events.flatMap(members)
      for (index, member) in members.enumerated() { source.line("| \(member)\(index == members.count - 1 ? ";" : "")") }
    }
  }

  /// Returns the object types of an event: one, or one for each step if its properties differ by step.
  private func members(of event: FlowBindings.Event) -> [String] {
    switch event.form {
    case .byStep(let parametersByStep):
      return zip(bindings.steps, parametersByStep).map { step, parameters in
        Self.object(["name: \"\(event.name)\"", "step: \"\(step.id)\"", properties(parameters)])
      }
    case .uniform(let role, let parameters):
      let step: String? =
        switch role {
        case .none: nil
        case .optional: "step?: Step"
        case .required: "step: Step"
        }
      return [Self.object(["name: \"\(event.name)\"", step, properties(parameters)])]
    }
  }

  /// Returns an object type with some members.
  private static func object(_ members: [String?]) -> String { "{ \(members.compactMap(\.self).joined(separator: "; ")) }" }

  /// Returns the declaration of the member `props`, or `nil` if the definition lists no property.
  ///
  /// The type has these properties alone, so that a misspelt optional one does not compile.
  private func properties(_ parameters: [FlowBindings.Parameter]) -> String? {
    guard !parameters.isEmpty else { return nil }
    let members = parameters.map { parameter in
      let note = parameter.constraint.map { "/** \(SourceText.comment($0)) */ " } ?? ""
      return "\(note)\(SourceText.jsonLiteral(parameter.key))\(parameter.isRequired ? "" : "?"): \(type(of: parameter))"
    }
    let isRequired = parameters.contains(where: \.isRequired)
    return "props\(isRequired ? "" : "?"): { \(members.joined(separator: "; ")) }"
  }

  private func type(of parameter: FlowBindings.Parameter) -> String {
    switch parameter.type {
    case .string: "string"
    case .integer, .number: "number"
    case .boolean: "boolean"
    case .scalar: "Scalar"
    case .enumeration(let index): bindings.enumerations[index].values.map(Self.literal).joined(separator: " | ")
    }
  }

  private static func literal(_ value: PropertyValue) -> String {
    if case .string(let text) = value { SourceText.jsonLiteral(text) } else { value.description }
  }

  /// The source text of the `Envelope` interface and the `line` function.
  private var lineFunction: String {
    """

    /** The fields of every line besides those of its event. */
    export interface Envelope {
      /** The pseudonymous id of the install or the user. */
      subject: string;
      /** When it happened: a date, or milliseconds since 1970. */
      ts: Date | number;
      attempt?: string;
      seq?: number;
      id?: string;
      /** app_version, os, device, locale, country, variant, … */
      ctx?: Properties;
    }

    /** Returns the object of one line; write it with JSON.stringify. Properties that the definition does not list are `more`. */
    export function line(event: \(bindings.typeName), envelope: Envelope, more?: Properties): object {
      const { name, step, props: listed } = event as { name: string; step?: string; props?: Properties };
      const props = more === undefined ? listed : { ...more, ...listed };
      const { subject, ts, attempt, seq, id, ctx } = envelope;
      return {
        name, ts: (ts instanceof Date ? ts : new Date(ts)).toISOString(), subject, app, flow, flow_version: flowVersion, attempt, seq, step, id, props, ctx, v: 1,
      };
    }

    """
  }
}
