/** Settings of Claude Code that call a hook command at every event that the record can use: no ordinary tool among them. */
export function hookSettings(command: string): Record<string, unknown> {
  const hooks = [{ type: 'command', command }]
  const tools = 'TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|Agent|Task'
  const events = [
    'SessionStart',
    'SessionEnd',
    'UserPromptSubmit',
    'Stop',
    'StopFailure',
    'SubagentStart',
    'SubagentStop',
    'PreCompact',
    'PostCompact',
    'Notification',
  ]
  return {
    hooks: {
      ...Object.fromEntries(events.map((event) => [event, [{ hooks }]])),
      ...Object.fromEntries(['PreToolUse', 'PostToolUse'].map((event) => [event, [{ matcher: tools, hooks }]])),
    },
  }
}
