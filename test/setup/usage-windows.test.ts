/** What is used of a subscription's window: from what Claude Code tells its status line, and from Codex's own files. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { usageWindowsOf } from '../../src/app/usage-windows'
import { statuslineText } from '../../src/cli/hooks/statusline'

let home: string
let codex: string
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  codex = join(home, 'codex')
  mkdirSync(join(home, 'statusline'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const SOON = Math.floor(Date.now() / 1_000) + 3_600
const windows = () => usageWindowsOf({ home, agents: { codex: { homes: [codex] } } as never })()
const drawn = (rate_limits: unknown) => statuslineText(home, JSON.stringify({ session_id: 's', rate_limits }))
const rollout = (day: string, ...lines: object[]) => {
  const folder = join(codex, 'sessions/2026/11', day)
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, `rollout-2026-11-${day}T10-00-00-x.jsonl`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  )
}
const count = (rate_limits: unknown) => ({
  timestamp: new Date().toISOString(),
  type: 'event_msg',
  payload: { type: 'token_count', rate_limits },
})

test('a status line keeps what it is told, and shows it; nonsense is no window', async () => {
  expect(await windows()).toEqual([])
  drawn({ five_hour: { used_percentage: 42.34, resets_at: SOON }, seven_day: { used_percentage: 7 } })
  expect(await windows()).toMatchObject([
    { agentCli: 'claude-code', window: '5 h', usedPercent: 42.3, resetsAt: new Date(SOON * 1_000).toISOString() },
    { agentCli: 'claude-code', window: '7 d', usedPercent: 7, resetsAt: null },
  ])
  const file = join(home, 'statusline/windows.json')
  const { ino } = statSync(file)
  // The same again is not written again: a status line is drawn often.
  drawn({ five_hour: { used_percentage: 42.34, resets_at: SOON }, seven_day: { used_percentage: 7 } })
  expect(statSync(file).ino).toBe(ino)
  for (const limits of [null, 'x', { five_hour: null }, { five_hour: { used_percentage: '9' } }]) drawn(limits)
  expect(statSync(file).ino).toBe(ino)
  // Begun anew since: the old number says nothing.
  drawn({ five_hour: { used_percentage: 99, resets_at: SOON - 7_200 } })
  expect(await windows()).toEqual([])
})

test("the newest rollout that tells of windows counts, whatever else is in Codex's folder", async () => {
  rollout('19', count({ primary: { used_percent: 11, window_minutes: 300, resets_at: SOON }, secondary: null }))
  rollout(
    '20',
    count({ primary: { used_percent: 63, window_minutes: 300, resets_at: SOON } }),
    count({
      primary: { used_percent: 64.5, window_minutes: 300, resets_at: SOON },
      secondary: { used_percent: 5, window_minutes: 10_080, resets_at: SOON },
    }),
  )
  rollout('21', count({ primary: null, secondary: null }), count(null))
  writeFileSync(join(codex, 'sessions/2026/11/21/rollout-2026-11-21T11-00-00-y.jsonl'), '{"rate_limits": [\n\0')
  expect(await windows()).toMatchObject([
    { agentCli: 'codex', window: '5 h', usedPercent: 64.5 },
    { agentCli: 'codex', window: '7 d', usedPercent: 5 },
  ])
})
