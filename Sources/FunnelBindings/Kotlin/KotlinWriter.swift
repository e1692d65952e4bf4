import FunnelModel

/// Generates the Kotlin bindings of a flow: an object with one function for each event, and a class that
/// formats the log line.
struct KotlinWriter {
  private let bindings: FlowBindings
  private let names: KotlinNames

  init(_ bindings: FlowBindings) {
    self.bindings = bindings
    names = KotlinNames(bindings)
    assert(
      names.steps.count == bindings.steps.count && names.events.count == bindings.events.count
        && names.enumerations.count == bindings.enumerations.count, "names have the order of the bindings")
  }

  /// Returns the generated source text, which starts with the header lines as comments.
  func text(header: [String]) -> String {
    var source = SourceText(indentation: "    ")
    for line in header { source.line("// \(SourceText.comment(line))") }
    source.line()
    let flow = bindings.flow
    source.line(
      "/** \(SourceText.comment(flow.title)): the events of the flow \(flow.app)/\(flow.flow), version \(flow.version). */")
    source.block("object \(bindings.typeName) {") { source in
      source.line("const val APP = \"\(flow.app)\"")
      source.line("const val FLOW = \"\(flow.flow)\"")
      source.line("const val FLOW_VERSION = \(flow.version)")
      writeIDs("The steps of the flow.", "Step", zip(names.steps, bindings.steps).map { ($0, $1.id, $1.label) }, to: &source)
      if !bindings.permissions.isEmpty {
        writeIDs(
          "The permissions that the flow asks for.", "Permission",
          zip(names.permissions, bindings.permissions).map { ($0, $1, $1) }, to: &source)
      }
      for index in bindings.enumerations.indices { writeEnumeration(index, to: &source) }
      for (index, event) in bindings.events.enumerated() { write(event, index, to: &source) }
      source.line()
      for line in Self.support { source.line(line) }
    }
    return source.text
  }

  /// Writes an enum class of IDs.
  private func writeIDs(
    _ comment: String, _ type: String, _ constants: [(name: String, id: String, label: String)], to source: inout SourceText
  ) {
    source.line()
    source.line("/** \(comment) */")
    source.block("enum class \(type)(val id: String) {") { source in
      for (name, id, label) in constants {
        if label != id { source.line("/** \(SourceText.comment(label)) */") }
        source.line("\(name)(\"\(id)\"),")
      }
    }
  }

  /// Writes an enum class of the values of a property.
  private func writeEnumeration(_ index: Int, to source: inout SourceText) {
    let enumeration = bindings.enumerations[index]
    source.line()
    source.line("/** The values of \(SourceText.comment(enumeration.subject)). */")
    source.block("enum class \(names.enumerations[index])(val value: Any?) {") { source in
      for (name, value) in zip(names.values[index], enumeration.values) { source.line("\(name)(\(Self.literal(value))),") }
    }
  }

  /// Writes the function of an event, or one for each step if the properties differ by step.
  private func write(_ event: FlowBindings.Event, _ index: Int, to source: inout SourceText) {
    guard event.differsByStep else {
      let step: (parameter: [String], value: String) =
        switch event.step {
        case .none: ([], "null")
        case .optional: (["step: Step? = null"], "step?.id")
        case .required: (["step: Step"], "step.id")
        }
      return write(
        event.name, names.events[index][0], step.parameter, step.value, event.parameters, to: &source)
    }
    for (stepIndex, parameters) in event.parametersByStep.enumerated() {
      write(
        event.name, names.events[index][stepIndex], [], "Step.\(names.steps[stepIndex]).id", parameters, to: &source)
    }
  }

  /// Writes one function.
  ///
  /// - Parameters:
  ///   - step: The declaration of the step parameter, if there is one.
  ///   - stepValue: The expression for the ID of the step.
  private func write(
    _ event: String, _ function: String, _ step: [String], _ stepValue: String, _ parameters: [FlowBindings.Parameter],
    to source: inout SourceText
  ) {
    source.line()
    let notes = parameters.compactMap { parameter in
      parameter.constraint.map { "\(SourceText.comment(parameter.key)): \(SourceText.comment($0))" }
    }
    if !notes.isEmpty { source.line("/** \(notes.joined(separator: "; ")). */") }
    let labels = KotlinNames.labels(of: parameters)
    let all = step + zip(labels, parameters).map { "\($0): \(type(of: $1))\($1.isRequired ? "" : "? = null")" }
    source.line("fun \(function)(\(all.joined(separator: ", "))): Event =")
    let pairs = zip(labels, parameters).map { "\(SourceText.kotlinLiteral($1.key)) to \(value(of: $1, $0))" }
    source.nested { source in
      source.line(
        "Event(\((["\"\(event)\"", stepValue] + (pairs.isEmpty ? [] : ["given(\(pairs.joined(separator: ", ")))"])).joined(separator: ", ")))"
      )
    }
  }

  private func type(of parameter: FlowBindings.Parameter) -> String {
    switch parameter.type {
    case .string: "String"
    case .integer: "Long"
    case .number: "Double"
    case .boolean: "Boolean"
    case .scalar: "Any"
    case .enumeration(let index): names.enumerations[index]
    }
  }

  /// Returns the expression for the logged value of a parameter.
  private func value(of parameter: FlowBindings.Parameter, _ label: String) -> String {
    guard case .enumeration = parameter.type else { return label }
    return parameter.isRequired ? "\(label).value" : "\(label)?.value"
  }

  private static func literal(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): SourceText.kotlinLiteral(text)
    case .integer(let number): "\(number)L"
    default: value.description
    }
  }

  /// The lines of the `Event` class and its helpers, which are the same for every flow.
  private static let support = """
    /** An event; [line] returns it as a JSON object. Properties are strings, numbers or booleans, without personal data. */
    class Event internal constructor(val name: String, val step: String?, val props: Map<String, Any?> = emptyMap()) {
        /** The event with properties that the definition does not list. */
        fun with(vararg more: Pair<String, Any?>): Event = Event(name, step, more.toMap() + props)

        /** The line of the event, without a line feed. [ts] is in milliseconds since 1970. */
        fun line(
            subject: String, ts: Long, attempt: String? = null, seq: Long? = null, id: String? = null,
            ctx: Map<String, Any?> = emptyMap(),
        ): String = json(
            given(
                "name" to name, "ts" to ts, "subject" to subject, "app" to APP, "flow" to FLOW, "flow_version" to FLOW_VERSION,
                "attempt" to attempt, "seq" to seq, "step" to step, "id" to id, "props" to props.ifEmpty { null },
                "ctx" to ctx.ifEmpty { null }, "v" to 1,
            ),
        )
    }

    private fun given(vararg pairs: Pair<String, Any?>): Map<String, Any?> = pairs.filter { it.second != null }.toMap()

    private fun json(value: Any?): String = when (value) {
        is Map<*, *> -> value.entries.joinToString(",", "{", "}") { json(it.key.toString()) + ":" + json(it.value) }
        is Number, is Boolean, null -> value.toString()
        else -> value.toString().fold(StringBuilder("\\"")) { text, char ->
            when {
                char == '"' || char == '\\\\' -> text.append('\\\\').append(char)
                char < ' ' -> text.append("\\\\u").append(char.code.toString(16).padStart(4, '0'))
                else -> text.append(char)
            }
        }.append('"').toString()
    }
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
