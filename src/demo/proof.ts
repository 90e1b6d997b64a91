import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../api/client'
import { listAll } from '../api/client/list-all'
import type { Session, Subagent, Todo, Usage } from '../api/contract/wire'
import { NO_USAGE } from '../domain/cost/usage'
import type { Ledger } from './model-server'
import { AGENTS, type StoryAgent, TODOS } from './story'
import { readTranscriptFiles } from './transcript-files'

/** One thing that was checked: what holds, in a sentence with its figures, and what was seen when it does not. */
export interface Check {
  claim: string
  isTrue: boolean
  /** Told when it is not true. */
  seen: string
}

export interface ProofOptions {
  client: Client
  claudeRoot: string
  ledger: Ledger
  mainId: string
  forkId: string
  /** All conversations, these two among them. */
  ids: string[]
}

/** Holds the record against the agent's own files, the script, and what the model server gave out. */
export async function prove({ client, claudeRoot, ledger, mainId, forkId, ids }: ProofOptions): Promise<Check[]> {
  const { session: main, subagents, todos } = await client.sessions.get(mainId)
  const { session: fork, todos: forkTodos } = await client.sessions.get(forkId)
  return [
    await checkExport(client, claudeRoot, ids),
    await checkEvents(client, claudeRoot, ids),
    ...checkSubagents(subagents, ledger),
    checkTodos(todos, forkTodos),
    checkFork(main, fork),
    checkUsage(main, fork, subagents, ledger),
  ]
}

async function checkExport(client: Client, claudeRoot: string, ids: string[]): Promise<Check> {
  let files = 0
  let bytes = 0
  const wrong: string[] = []
  for (const id of ids) {
    const left = readTranscriptFiles(claudeRoot, id).files
    for await (const file of client.sessions.export(id)) {
      const got = Buffer.concat(await Array.fromAsync(file.bytes))
      const path = [...left.keys()].find((known) => known.endsWith(file.relativePath))
      if (path === undefined || !left.get(path)?.equals(got)) wrong.push(file.relativePath)
      if (path !== undefined) left.delete(path)
      files++
      bytes += got.length
    }
    wrong.push(...left.keys())
  }
  return {
    claim: `${files} files exported, ${Math.round(bytes / 1_000)} kB: byte for byte what Claude Code wrote`,
    isTrue: wrong.length === 0,
    seen: `different or missing: ${wrong.join(', ')}`,
  }
}

async function checkEvents(client: Client, claudeRoot: string, ids: string[]): Promise<Check> {
  let count = 0
  const wrong: string[] = []
  for (const id of ids) {
    const { lineIds } = readTranscriptFiles(claudeRoot, id)
    count += lineIds.size
    const recorded = new Set<string>()
    for await (const event of listAll(client.events.list, { sessionId: id }, 'events')) recorded.add(event.id)
    if (!isDeepStrictEqual(recorded, lineIds)) wrong.push(`${recorded.size} of ${lineIds.size} in ${id}`)
  }
  return {
    claim: `${count} events: each line of the transcripts once, none missing, none twice`,
    isTrue: wrong.length === 0,
    seen: `recorded ${wrong.join(', ')}`,
  }
}

function checkSubagents(subagents: Subagent[], ledger: Ledger): Check[] {
  const found = (name: StoryAgent) => subagents.find((agent) => agent.description === AGENTS[name].description)
  const launchOf = (name: StoryAgent) => ledger.launches.get(AGENTS[name].description)
  return (Object.keys(AGENTS) as StoryAgent[]).map((name) => {
    const { description, isBackground, parent } = AGENTS[name]
    const agent = found(name)
    const where = parent === null ? 'by the main thread' : `by the sub-agent "${AGENTS[parent].description}"`
    const kind = isBackground ? 'background sub-agent' : 'sub-agent'
    return {
      claim: `${kind} "${description}", launched ${where}: linked to its tool call ${launchOf(name)}, completed`,
      isTrue:
        subagents.length === Object.keys(AGENTS).length &&
        agent !== undefined &&
        agent.toolUseId === launchOf(name) &&
        agent.parentToolUseId === (parent === null ? null : launchOf(parent)) &&
        agent.background === isBackground &&
        agent.status === 'completed',
      seen: agent
        ? `${subagents.length} sub-agents; this one: ${JSON.stringify({ toolUseId: agent.toolUseId, parentToolUseId: agent.parentToolUseId, background: agent.background, status: agent.status })}`
        : `not recorded; ${subagents.length} others are`,
    }
  })
}

function checkTodos(main: Todo[], fork: Todo[]): Check {
  const plain = (todos: readonly Pick<Todo, 'content' | 'status'>[]) =>
    todos.map(({ content, status }) => ({ content, status }))
  return {
    claim: `${main.length + fork.length} to-dos in two lists, each as the agent left it`,
    isTrue: isDeepStrictEqual(plain(main), plain(TODOS.main)) && isDeepStrictEqual(plain(fork), plain(TODOS.fork)),
    seen: JSON.stringify({ main: plain(main), fork: plain(fork) }),
  }
}

function checkFork(main: Session, fork: Session): Check {
  return {
    claim: `one compaction; the fork is linked to its origin, its ${fork.counts.events} own events counted apart from what it inherited`,
    isTrue:
      main.counts.compactions === 1 &&
      fork.counts.compactions === 0 &&
      fork.forkedFrom === main.id &&
      fork.counts.events > 0,
    seen: JSON.stringify({
      compactions: [main.counts.compactions, fork.counts.compactions],
      forkedFrom: fork.forkedFrom,
    }),
  }
}

function checkUsage(main: Session, fork: Session, subagents: Subagent[], ledger: Ledger): Check {
  const given = (sessionId: string, agentId?: string): Usage =>
    ledger.answers
      .filter((answer) => answer.sessionId === sessionId && (agentId === undefined || answer.agentId === agentId))
      .reduce(
        (sum, { usage }) => ({
          inputTokens: sum.inputTokens + usage.input_tokens,
          outputTokens: sum.outputTokens + usage.output_tokens,
          cacheReadTokens: sum.cacheReadTokens + usage.cache_read_input_tokens,
          cacheCreationTokens: sum.cacheCreationTokens + usage.cache_creation_input_tokens,
        }),
        { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
      )
  const total = (usage: Usage) => Object.values(usage).reduce((sum, tokens) => sum + tokens, 0)
  const pairs = [
    [main.usage, given(main.id)],
    [fork.usage, given(fork.id)],
    ...subagents.map((agent): [Usage, Usage] => [agent.usage ?? NO_USAGE, given(main.id, agent.id)]),
  ] as const
  const sum = total(given(main.id)) + total(given(fork.id))
  return {
    claim: `${sum.toLocaleString('en')} tokens: what the model server gave out, for each agent apart`,
    isTrue: pairs.every(([recorded, wanted]) => isDeepStrictEqual({ ...recorded }, wanted)),
    seen: `recorded ${pairs.map(([recorded]) => total(recorded)).join(', ')}; given ${pairs.map(([, wanted]) => total(wanted)).join(', ')}`,
  }
}
