import type { HookRow } from '../../domain/harness/harness-setup'

/** Whether a handler's command is one of ours, of whatever place and version. */
export function isOurs(command: unknown): command is string {
  return (
    typeof command === 'string' &&
    /(?:^|[/\s'"])(?:lode|main\.ts)['"]?(?:\s+--home\s+\S.*)?\s+hook(?:\s|$)/.test(command)
  )
}

/** The same rows, in whatever order. */
export function sameRows(a: readonly HookRow[], b: readonly HookRow[]): boolean {
  const key = ({ event, matcher, command }: HookRow) => JSON.stringify([event, matcher ?? null, command])
  return JSON.stringify(a.map(key).sort()) === JSON.stringify(b.map(key).sort())
}
