import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/load'
import { type FoundAgent, foundAgents } from './found-agents'

/** What a person reads at the end of a demonstration; '' = their own record is there already, or they have no conversations. */
export async function ownSessionsText(config: Pick<Config, 'agents' | 'home'>, program: string): Promise<string> {
  if (existsSync(join(config.home, 'lodeline.db'))) return ''
  return sessionsSentence(await foundAgents(config), program)
}

export function sessionsSentence(found: readonly FoundAgent[], program: string): string {
  const total = found.reduce((sum, { sessions }) => sum + (sessions ?? 0), 0)
  if (total === 0) return ''
  const isWhole = found.every((each) => each.isWhole && each.sessions !== null)
  const count = `${isWhole ? '' : 'At least '}${total.toLocaleString('en-US')} ${total === 1 ? 'session' : 'sessions'}`
  return `${count} of yours ${total === 1 ? 'is' : 'are'} on this machine: ${program} up  records ${total === 1 ? 'it' : 'them'}\n`
}
