import { join } from 'node:path'
import type { Client } from '../api/client'
import type { OtherCli } from '../app/agents/other-cli'
import type { TaskId } from '../domain/ids'
import type { Session, TreeNode } from '../domain/session/session'
import type { TaskNode } from '../domain/task/task'
import { createAgentWorld, findAgentCli } from './agent-cli'
import { BILLED, CARRY_SCENES, playCarry, prepareOther, proveCarry } from './carry-act'
import type { DemoWorkerOptions } from './demo-worker'
import { startModelServer } from './model-server'
import { type Check, prove } from './proof'
import { createStage } from './stage'
import { createScenes, PROMPTS } from './story'
import { type DemoWorker, playTasks, type TaskActSeen } from './task-act'
import { proveTasks } from './task-proof'
import { CONTEXT_TOKENS, createTaskScenes } from './task-story'
import { readTranscriptFiles } from './transcript-files'

export interface DemoOptions {
  /** Client of the running Lodeline, which must follow `claudeRoot`. */
  client: Client
  /** Lodeline's folder; the agent's project is made in `demo` below it. */
  home: string
  /** The agent's configuration folder, with nothing in it yet. */
  claudeRoot: string
  /** Writes to the terminal. */
  print: (text: string) => void
  /** The terminal can be redrawn in place. */
  isTty: boolean
  /** Draws a session's tree: lines with their newline, no wider than the terminal. */
  drawTree: (session: Session, tree: TreeNode) => string
  /** Draws a task with its children likewise. */
  drawTasks: (root: TaskNode) => string
  /** Starts a worker for the tasks, with this environment, agent CLI and nothing of the user's. */
  startWorker: (options: Pick<DemoWorkerOptions, 'env' | 'executable' | 'other'>) => Promise<DemoWorker>
  /** The CLI that takes a conversation over, with a folder that Lodeline follows; `null` = it is not installed. */
  other: { cli: OtherCli; root: string } | null
  /** How to call Lodeline from the folder where the person stands, e.g. `bin/lode`. */
  program: string
  /** Lodeline runs on after the demo: says so, and what to try. Default: true. */
  staysUp?: boolean
  /** 1 = about three quarters of a minute, for a person; 0 = no pauses. */
  pace: number
  /** Ends the demo early. */
  signal: AbortSignal
}

/**
 * Runs the real agent CLI through a short story, shows its record growing, has a worker run two tasks, and holds the record
 * against the agent's own files, the processes, and what the model was shown.
 *
 * @returns whether every check held. Nothing that it started runs on afterwards.
 * @throws AppError `unavailable` when no agent CLI is there to run; `signal`'s reason when it was ended early
 */
export async function runDemo(options: DemoOptions): Promise<{ ok: boolean }> {
  const { client, claudeRoot, print, isTty, drawTree, drawTasks, other, pace, signal } = options
  const cli = findAgentCli()
  const stage = createStage({ client, print, isTerminal: isTty, drawTree })
  const model = startModelServer({
    scenes: [...CARRY_SCENES, ...createTaskScenes(), ...createScenes(pace)],
    response: BILLED,
    pace,
    onStep: (step) => step.say && stage.say(`    ${step.say}`),
  })
  const world = await createAgentWorld(cli, {
    folder: join(options.home, 'demo'),
    claudeRoot,
    modelUrl: model.baseUrl,
  })
  let worker: DemoWorker | undefined
  let seen: TaskActSeen
  let carried: TaskId | null
  const mainId = crypto.randomUUID()
  const forkId = crypto.randomUUID()
  try {
    stage.start()
    stage.say(
      'Claude Code works on a small shop. It is the real one; its model is a script on this machine: no key, no network.',
    )
    stage.say(`\n1. "${PROMPTS.fix}"`)
    stage.watch(mainId)
    await world.run({ prompt: PROMPTS.fix, sessionId: mainId }, signal)
    stage.say(`\n2. "${PROMPTS.compact}"`)
    await world.run({ prompt: PROMPTS.compact, resume: mainId }, signal)
    stage.say(`\n3. "${PROMPTS.left}"`)
    await world.run({ prompt: PROMPTS.left, resume: mainId }, signal)
    stage.say(`\n4. A fork of the conversation: "${PROMPTS.cents}"`)
    stage.watch(forkId)
    await world.run({ prompt: PROMPTS.cents, resume: mainId, sessionId: forkId }, signal)
    // The trees stay as they are now; what follows is reported line by line.
    await stage.stop()
    const env = {
      ...{ ...world.environment, CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(CONTEXT_TOKENS) },
      ...(other !== null && prepareOther(other.root, model.baseUrl)),
    }
    worker = await options.startWorker({ env, executable: cli, other: other ?? undefined })
    const say = (text: string) => print(`${text}\n`)
    seen = await playTasks({ client, worker, claudeRoot, project: world.project, say, drawTasks, signal })
    carried = await playCarry({ client, worker, project: world.project, say, signal, other: other?.cli ?? null })
    await recorded(client, claudeRoot, [mainId, forkId, seen.parentSession, seen.childSession], signal)
  } finally {
    await worker?.stop()
    await stage.stop()
    await model.stop()
    world.close()
  }
  const { ledger } = model
  const ids = [mainId, forkId, seen.parentSession, seen.childSession]
  const record = await prove({ client, claudeRoot, ledger, mainId, forkId, ids })
  print(`\nThe proof: the record against Claude Code's own files\n${record.map(line).join('')}`)
  const tasks = await proveTasks({ client, claudeRoot, project: world.project, ledger, seen })
  if (carried !== null && other !== null) tasks.push(await proveCarry(client, carried, ledger, other.cli))
  print(`The tasks against the disk, the processes, and what the model was shown\n${tasks.map(line).join('')}`)
  if (options.staysUp ?? true) print(whatNext(options, mainId, seen.packId))
  return { ok: [...record, ...tasks].every((check) => check.isTrue) }
}

const line = ({ claim, isTrue, seen }: Check): string =>
  isTrue ? `  \u2713 ${claim}\n` : `  \u2717 NOT TRUE: ${claim}\n    ${seen}\n`

/** How long the collector may take to read the last bytes. */
const SETTLE_MS = 15_000

/** Resolves when the journals hold as many bytes as the files, or when waiting longer would not help: the proof will tell. */
async function recorded(client: Client, claudeRoot: string, ids: string[], signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + SETTLE_MS
  for (const id of ids) {
    for (;;) {
      signal.throwIfAborted()
      const sizes = new Map<string, number>()
      const { journals } = await client.sessions.journals(id).catch(() => ({ journals: [] }))
      for (const journal of journals) sizes.set(journal.path, journal.incarnations[0]?.size ?? 0)
      const { files } = readTranscriptFiles(claudeRoot, id)
      const isDone = [...files].every(([path, bytes]) => sizes.get(join(claudeRoot, path)) === bytes.length)
      if (isDone || Date.now() > deadline) break
      await Bun.sleep(50)
    }
  }
}

function whatNext({ program, home, claudeRoot }: DemoOptions, id: string, taskId: TaskId): string {
  const short = id.slice(0, 8)
  const commands = [
    ['session list', 'all conversations'],
    [`session tree ${short}`, 'which agent launched which'],
    [`event list --session ${short} --type tool_call`, 'every tool call, also of the sub-agents'],
    ['todo list --all', "the agents' own to-dos"],
    ['search rounding', 'full text over all of it'],
    [`session export ${short} --to /tmp/shop`, 'the transcripts, byte for byte'],
    [`task show ${taskId}`, 'a task, and what each attempt says of itself'],
    [`task tree ${taskId}`, 'it and its child'],
    ['feed --follow', 'what happens, as it happens'],
  ] as const
  const typed = commands.map(([command, what]) => [`${program} ${command} --home ${home}`, what] as const)
  const most = Math.max(...typed.map(([command]) => command.length))
  return `\nLodeline stays up. Try, in another terminal:\n${typed
    .map(([command, what]) => `  ${command.padEnd(most)}  # ${what}\n`)
    .join('')}The agent's files are in ${claudeRoot}\n`
}
