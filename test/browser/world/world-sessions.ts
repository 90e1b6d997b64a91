/** Conversations that a person has in a terminal, each a run of the real CLI. */
import { type SessionId, sessionId } from '../../../src/domain/ids'
import type { TreeNode } from '../../../src/domain/session/session'
import type { RunOptions } from '../../lab/claude'
import { until } from '../../lab/until'
import { type Ground, recorded } from './world-ground'

/**
 * - `charted`    to-dos, a sub-agent that launches another, two at once, a long output, an answer in markdown
 * - `mended`     files read (one a picture), changed and made, a command that fails, a link
 * - `compacted`  compacted on the way by the CLI itself
 * - `unread`     was killed while its background agent's result waited for it
 * - `watching`   alive: a shell in the background, a sub-agent in the middle of a call
 */
export const SESSION_NAMES = ['charted', 'mended', 'compacted', 'unread', 'watching'] as const
export type SessionName = (typeof SESSION_NAMES)[number]

/** @returns its id, once the record has all that there is to see */
export function makeSession(ground: Ground, name: SessionName): Promise<SessionId> {
  return MAKERS[name](ground)
}

const MAKERS: Record<SessionName, (ground: Ground) => Promise<SessionId>> = {
  charted: (ground) => runToEnd(ground, { prompt: 'Chart the harbour for the new quay.' }),
  mended: (ground) =>
    runToEnd(ground, {
      prompt: `Mend the tariff, by the files in ${ground.claude.project} and nothing else.`,
      args: ['--permission-mode', 'acceptEdits'],
    }),
  compacted: (ground) =>
    runToEnd(ground, {
      prompt: 'Fill the log of the tides, day by day.',
      env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' },
    }),
  unread,
  watching,
}

async function runToEnd(ground: Ground, options: RunOptions): Promise<SessionId> {
  const id = sessionId(crypto.randomUUID())
  const { exitCode, stderr } = await ground.claude.run({ ...options, sessionId: id })
  if (exitCode !== 0) throw new Error(`"${options.prompt}" ended with ${exitCode}: ${stderr}`)
  await recorded(ground, id)
  return id
}

async function unread(ground: Ground): Promise<SessionId> {
  const id = sessionId(crypto.randomUUID())
  const run = ground.claude.launch({ prompt: 'Send somebody to the gauge and wait for the ship.', sessionId: id })
  await until('the end of the agent at the gauge', async () => {
    const nodes = await nodesOf(ground, id)
    return nodes.some(({ subagent }) => subagent?.status === 'completed') && isCalling(nodes[0], 'Bash')
  })
  await run.crash()
  await recorded(ground, id)
  return id
}

async function watching(ground: Ground): Promise<SessionId> {
  const id = sessionId(crypto.randomUUID())
  // Ends with the world.
  ground.claude.launch({ prompt: 'Keep watch over the harbour tonight.', sessionId: id })
  await until('the look-out in the middle of a call, and the lamp', async () => {
    const nodes = await nodesOf(ground, id)
    const isLooking = nodes.some((node) => node.subagent?.kind === 'agent' && isCalling(node, 'Bash'))
    return isLooking && nodes.some(({ subagent }) => subagent?.kind === 'shell')
  })
  return id
}

/** The main thread first, then all that it launched; none while nothing is recorded. */
async function nodesOf({ client }: Ground, id: SessionId): Promise<TreeNode[]> {
  const found = await client.sessions.tree(id).catch(() => null)
  const nodes = found ? [found.tree] : []
  for (const node of nodes) nodes.push(...node.children)
  return nodes
}

const isCalling = (node: TreeNode | undefined, tool: string): boolean =>
  node?.runningTools.some(({ name }) => name === tool) ?? false
