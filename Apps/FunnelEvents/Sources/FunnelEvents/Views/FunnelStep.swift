#if canImport(SwiftUI)
  public import SwiftUI

  extension View {
    /// Records `step_viewed` each time the view appears.
    ///
    ///     WelcomeView().funnelStep("welcome", flow: "onboarding")
    ///
    /// The recorder is the environment's: `.environment(\.funnelRecorder, recorder)` above it. Without one, nothing is recorded, as in previews.
    ///
    /// - Parameters:
    ///   - step: The step's ID.
    ///   - flow: The flow, or `nil` for every flow of the app that has the step.
    public func funnelStep(_ step: String, flow: String? = nil, props: [String: EventValue] = [:]) -> some View {
      modifier(StepModifier(event: FunnelEvent("step_viewed", flow: flow, step: step, props: props), recorder: nil))
    }

    /// Records an event of a flow each time the view appears.
    ///
    ///     WelcomeView().funnelStep(.stepViewed(.welcome), in: onboarding)
    public func funnelStep<Event: FlowEvent>(
      _ event: Event, in flow: FlowRecorder<Event>, props: [String: EventValue] = [:]
    ) -> some View {
      modifier(StepModifier(event: FunnelEvent(event, props: props), recorder: flow.recorder))
    }
  }

  extension EnvironmentValues {
    /// The recorder for the steps of the views below, or `nil` to record none.
    public var funnelRecorder: (any EventRecording)? {
      get { self[RecorderKey.self] }
      set { self[RecorderKey.self] = newValue }
    }
  }

  private struct RecorderKey: EnvironmentKey {
    static let defaultValue: (any EventRecording)? = nil
  }

  private struct StepModifier: ViewModifier {
    let event: FunnelEvent
    /// The recorder, or `nil` for the environment's.
    let recorder: (any EventRecording)?
    @Environment(\.funnelRecorder) private var environmentRecorder

    func body(content: Content) -> some View {
      content.onAppear { (recorder ?? environmentRecorder)?.record(event) }
    }
  }
#endif
