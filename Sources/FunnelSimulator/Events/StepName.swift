/// The step ids that simulated events carry.
enum StepName: UInt8 {
  /// The event carries no step.
  case absent
  case allSet
  case welcome, auth, createEventType, logFirstEvent, permissions, finish
  case assessment, healthPermission, appSelection, importantPeople, homeBase, goalSetting, intentionBuilder, ready
  case categories, photoImport, pinSetup, complete
  /// A screen that no version of any flow has.
  case tips

  var text: StaticString {
    switch self {
    case .absent: ""
    case .allSet: "all_set"
    case .welcome: "welcome"
    case .auth: "auth"
    case .createEventType: "create_event_type"
    case .logFirstEvent: "log_first_event"
    case .permissions: "permissions"
    case .finish: "finish"
    case .assessment: "assessment"
    case .healthPermission: "health_permission"
    case .appSelection: "app_selection"
    case .importantPeople: "important_people"
    case .homeBase: "home_base"
    case .goalSetting: "goal_setting"
    case .intentionBuilder: "intention_builder"
    case .ready: "ready"
    case .categories: "categories"
    case .photoImport: "photo_import"
    case .pinSetup: "pin_setup"
    case .complete: "complete"
    case .tips: "tips"
    }
  }

  /// The step as the source code of an app spells it, which its oldest builds log.
  var ownSpelling: StaticString {
    switch self {
    case .photoImport: "photoImport"
    case .pinSetup: "pinSetup"
    default: text
    }
  }
}
