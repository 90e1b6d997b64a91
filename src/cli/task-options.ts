import { resolve } from 'node:path'
import { AppError } from '../domain/errors'
import { DEFAULT_RETRY_POLICY } from '../domain/task'
import type { OptionSpecs, OptionValues } from './command'
import type { Io } from './io'
import { parseMoment, parseSpan } from './moments'

/** What may be said of a task when it is made and later: the options of `task create`, `run`, `epic add` and `task edit`. */
export const TASK_OPTIONS = {
  title: { kind: 'text', value: 'TEXT', help: "a short name (default: the text's first line)" },
  priority: {
    kind: 'number',
    short: 'p',
    value: 'N',
    min: 0,
    max: 100,
    help: '0 to 100, higher goes first (default 50)',
  },
  tag: { kind: 'text', value: 'TAG', isRepeated: true, help: 'a word to find it by' },
  type: { kind: 'text', value: 'TYPE', help: 'what kind of work it is, in your own words' },
  dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'working directory' },
  agent: { kind: 'text', value: 'AGENT', help: 'only this worker may take it (id or name)' },
  capability: { kind: 'text', value: 'X', isRepeated: true, help: 'only workers that have this may take it' },
  after: { kind: 'text', value: 'TASK', isRepeated: true, help: 'not before this task is completed' },
  'on-dependency-failure': {
    kind: 'text',
    value: 'WHAT',
    choices: ['fail', 'wait'],
    help: 'when a task of --after fails: fail too (default), or wait for its retry',
  },
  'continue-now': {
    kind: 'flag',
    help: 'with a parent still at work: continue from its last finished turn instead of waiting for its end',
  },
  epic: { kind: 'text', value: 'ID', help: 'the epic that it belongs to' },
  issue: { kind: 'text', value: 'ID', help: 'the issue that it serves' },
  model: { kind: 'text', value: 'MODEL', help: "the agent's model (default: the agent's own)" },
  'permission-mode': { kind: 'text', value: 'MODE', help: "the agent's permission mode, e.g. acceptEdits or plan" },
  'max-turns': { kind: 'number', value: 'N', min: 1, max: 100_000, help: 'end each attempt after N turns' },
  'max-cost': { kind: 'text', value: 'USD', help: 'end each attempt when it has cost so much' },
  timeout: { kind: 'text', value: 'SPAN', help: 'end each attempt after this, e.g. 30m' },
  attempts: {
    kind: 'number',
    value: 'N',
    min: 1,
    max: 1_000,
    help: `tries in all when it fails in a way that may pass (default ${DEFAULT_RETRY_POLICY.maximumAttempts})`,
  },
  'not-before': { kind: 'text', value: 'TIME', help: 'start later: 2h (from now), 18:30, 2026-11-20T18:30' },
  backlog: { kind: 'flag', help: 'only note it; nobody starts it yet' },
} as const satisfies OptionSpecs

type TaskValues = OptionValues<typeof TASK_OPTIONS>

/**
 * The fields that creating and changing a task have in common, as the API takes them. What was not said is left out.
 *
 * @throws `invalid`  a value that can't be
 */
export function taskFields(options: TaskValues, io: Pick<Io, 'cwd' | 'now'>) {
  const { timeout, attempts, tag, capability, after } = options
  return {
    title: options.title,
    priority: options.priority,
    tags: listed(tag),
    taskType: options.type,
    dir: options.dir === undefined ? undefined : resolve(io.cwd, options.dir),
    agentId: options.agent,
    requiredCapabilities: listed(capability),
    dependsOn: listed(after),
    onDependencyFailure: options['on-dependency-failure'],
    continueNow: options['continue-now'] || undefined,
    epicId: options.epic,
    issueId: options.issue,
    model: options.model,
    permissionMode: options['permission-mode'],
    maxTurns: options['max-turns'],
    maxCostUsd: options['max-cost'] === undefined ? undefined : parseCost(options['max-cost']),
    timeoutMs: timeout === undefined ? undefined : parseSpan('--timeout', timeout),
    retryPolicy: attempts === undefined ? undefined : { maximumAttempts: attempts },
    notBefore:
      options['not-before'] === undefined ? undefined : parseMoment('--not-before', options['not-before'], io.now()),
    status: options.backlog ? ('backlog' as const) : undefined,
  }
}

function listed(values: string[]): string[] | undefined {
  return values.length === 0 ? undefined : values
}

/** `2`, `2.50`, `$0.10`. */
function parseCost(text: string): number {
  const cost = /^\$?\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text.replace('$', '')) : 0
  if (cost <= 0) throw new AppError('invalid', `--max-cost needs US dollars like 2.50, not '${text.slice(0, 60)}'.`)
  return cost
}
