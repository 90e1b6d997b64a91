import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../api/client'
import type { OtherCli } from '../app/agents/other-cli'
import type { TaskId } from '../domain/ids'
import type { Ledger } from './model-server'
import type { Check } from './proof'
import { PARCELS_FILE, type Scene, shell } from './story'
import { followTask, TASK_MS, type TaskActOptions } from './task-act'
import { PARCEL_COUNT } from './task-story'

/** The variable that names the configuration folder of the CLI that takes over. */
export const OTHER_HOME = 'CODEX_HOME'
/** As people call it, where it is not installed. */
const OTHER_TITLE = 'Codex'

const COUNT = 'Count the parcels of today, and write the bill.'
const COUNTING = 'I count the parcels first.'
/** What the other CLI's model says; the number it has from the conversation. */
export const BILLED = `The bill is written: ${PARCEL_COUNT} parcels.`

/** The account of the first CLI reaches its limit in the middle of the work. */
export const CARRY_SCENES: Scene[] = [
  {
    name: 'count',
    who: 'main',
    prompt: COUNT,
    steps: [
      { text: COUNTING, tools: [shell('Count the parcels', `wc -l < ${PARCELS_FILE}`)], thinkMs: 300 },
      {
        isAtLimit: true,
        thinkMs: 300,
        say: "Here the account of Claude Code is at its usage limit: its model's API refuses.",
      },
    ],
  },
]

/** Makes the other CLI's own folder, in which it knows the scripted model and no other. @returns the environment of its runs */
export function prepareOther(root: string, modelUrl: string): Record<string, string> {
  const settings = [
    'model = "scripted"',
    'model_provider = "demo"',
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.demo]',
    'name = "demo"',
    `base_url = "${modelUrl}/v1"`,
    'wire_api = "responses"',
    '',
  ]
  mkdirSync(root, { recursive: true, mode: 0o700 })
  writeFileSync(join(root, 'config.toml'), settings.join('\n'))
  return { [OTHER_HOME]: root }
}

export interface CarryActOptions extends Omit<TaskActOptions, 'claudeRoot' | 'drawTasks'> {
  /** `null` = it is not installed. */
  other: OtherCli | null
}

/**
 * A task that one agent CLI begins and another one finishes, in the same conversation.
 *
 * @returns the task; `null` = the other CLI is not installed, or the worker does not have it
 */
export async function playCarry(options: CarryActOptions): Promise<TaskId | null> {
  const { client, worker, project, other, say } = options
  if (other === null) {
    say(
      `\n7. ${OTHER_TITLE} is not installed here. With it you would see how it finishes a task that Claude Code began.`,
    )
    return null
  }
  const agentClis = await clisOf(options, other)
  if (agentClis === null) {
    say(`\n7. The worker does not have ${other.title}: nothing is carried over.`)
    return null
  }
  say(`\n7. A task for Claude Code, or else for ${other.title}: "${COUNT}"`)
  const about = { task: COUNT, dir: project, agentId: worker.name, agentClis, timeoutMs: TASK_MS }
  const { task } = await client.tasks.create(about)
  await followTask(options, task.id)
  await worker.idle()
  return task.id
}

/** How long a worker may look for its CLIs. */
const CLIS_FOUND_MS = 15_000

/** The one that begins, and the other one; `null` = the worker did not find it. */
async function clisOf(
  { client, worker, signal }: Pick<CarryActOptions, 'client' | 'worker' | 'signal'>,
  other: OtherCli,
): Promise<string[] | null> {
  const deadline = Date.now() + CLIS_FOUND_MS
  while (Date.now() < deadline) {
    signal.throwIfAborted()
    const { agents } = await client.agents.list()
    const clis = agents.find(({ name }) => name === worker.name)?.clis ?? []
    const [first] = clis
    if (first !== undefined && clis.some(({ name }) => name === other.name)) return [first.name, other.name]
    await Bun.sleep(50)
  }
  return null
}

/** Holds what the record says of the task against what the other CLI's model was shown. */
export async function proveCarry(
  client: Client,
  id: TaskId,
  ledger: Ledger,
  { name, title }: OtherCli,
): Promise<Check> {
  const { task, attempts } = await client.tasks.get(id)
  const how = attempts.map(({ agentCli, failureClass, conversation }) => [
    agentCli === name,
    failureClass,
    conversation?.rung,
  ])
  const [first, second] = attempts
  const shown = ledger.responses.at(-1) ?? ''
  // What the first one's shell printed is a line of its own.
  const parts = [COUNT, COUNTING, `"${PARCEL_COUNT}`]
  return {
    claim: `task ${id} began in Claude Code and was finished in ${title}, in the same conversation: its model was shown the task, what Claude Code said, and what its shell printed`,
    isTrue:
      task.status === 'completed' &&
      task.output === BILLED &&
      isDeepStrictEqual(how, [
        [false, 'usage_limit', 'fresh'],
        [true, null, 'translated'],
      ]) &&
      second?.conversation?.resumedSessionId === first?.conversation?.sessionId &&
      parts.every((part) => shown.includes(part)),
    seen: JSON.stringify({ status: task.status, output: task.output, attempts: how, shown: shown.slice(-2_000) }),
  }
}
