import { existsSync } from 'node:fs'
import { recognise } from '../collector/file-heads'
import type { RowSource } from '../collector/row-follower'
import type { Config } from '../config/load'
import type { AgentHarness } from '../domain/harness/agent-harness'
import type { JournalRef } from '../domain/harness/harness'
import type { HarnessFiles } from '../domain/harness/harness-files'
import type { LiveSession } from '../domain/harness/harness-live'
import { defaultHarness, harnesses } from '../harness/registry'
import { journalRoots, rowSources } from './files/rows-folder'

/** An agent CLI with its configuration folders on this machine. */
export interface Followed {
  harness: AgentHarness
  roots: readonly string[]
}

/** Every agent CLI, with the folders that the settings name, or else that it uses by itself. */
export const followed = ({ agents }: Pick<Config, 'agents'>): Followed[] =>
  harnesses().map((harness) => ({ harness, roots: agents[harness.name]?.homes ?? [harness.root(process.env)] }))

export const followedRoots = (config: Pick<Config, 'agents'>): string[] =>
  followed(config).flatMap(({ roots }) => roots)

/**
 * What knows the files of every agent CLI, with the folders that these are in: of one with a database, ours.
 *
 * @param isWanted  by such a folder: what reads the others is not loaded. Left out = all, also of a CLI without any folder
 */
export const followedFiles = (
  config: Pick<Config, 'agents' | 'home'>,
  isWanted?: (root: string) => boolean,
): Promise<(HarnessFiles & Pick<Followed, 'roots'>)[]> =>
  Promise.all(
    followed(config).flatMap(({ harness, roots: all }) => {
      const roots = journalRoots(config.home, harness, all).filter((root) => isWanted?.(root) ?? true)
      const isLoaded = isWanted === undefined || roots.length > 0
      return isLoaded ? harness.files().then((files) => ({ ...files, roots })) : []
    }),
  )

/**
 * The databases of agent CLIs on this machine.
 *
 * @param isWanted  by configuration folder: what reads the others is not loaded
 */
export async function followedRows(
  config: Pick<Config, 'agents' | 'home'>,
  isWanted: (root: string) => boolean = () => true,
): Promise<RowSource[]> {
  const sources: RowSource[] = []
  for (const { harness, roots } of followed(config))
    sources.push(...(await rowSources(config.home, harness, roots.filter(isWanted))))
  return sources
}

/** Conversations that processes of this machine have open now. */
export async function liveSessions(config: Pick<Config, 'agents'>): Promise<LiveSession[]> {
  const found: LiveSession[] = []
  for (const { harness, roots } of followed(config))
    if (harness.live !== null) found.push(...(await harness.live()).sessions(roots))
  return found
}

/** The same below one folder, whichever agent CLI's it is. */
export async function liveSessionsBelow(root: string): Promise<LiveSession[]> {
  const found: LiveSession[] = []
  for (const { live } of harnesses()) if (live !== null) found.push(...(await live()).sessions([root]))
  return found
}

/** Files of one session that may be on this machine. */
export async function filesOfSession(config: Pick<Config, 'agents' | 'home'>, session: string): Promise<JournalRef[]> {
  const refs: JournalRef[] = []
  for (const files of await followedFiles(config, existsSync))
    for (const root of files.roots) refs.push(...refsOf(files, files.ofSession(root, session)))
  return refs
}

export const refsOf = (files: Pick<HarnessFiles, 'needsHead' | 'classify'>, paths: readonly string[]): JournalRef[] =>
  paths.flatMap((path) => recognise(files, path) ?? [])

/** A file of the hook journal. Its lines may name other agent CLIs. */
export const hookJournalRef = (path: string): JournalRef => ({
  agent: defaultHarness().name,
  kind: 'hooks',
  path,
  sessionId: null,
  subagentId: null,
})
