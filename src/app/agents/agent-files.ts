import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentFile } from '../../domain/agent'
import type { HarnessAgentFiles } from '../../domain/harness/agent-harness'
import { harnesses } from '../../harness/registry'
import { hasRepository } from '../../util/git/git-project'

/** Where a project keeps those for Lodeline; they are written as those of the agent CLI that comes first. */
const OWN_FOLDER = '.lodeline/agents'
/** Folders above that are looked at; a repository's root ends the way. */
const MAX_ABOVE = 20
const MAX_FILES = 200
const MAX_BYTES = 65_536

/**
 * Agents that files of a project describe: of the folder, and of those above it up to the root of its repository. The nearest of a
 * name counts. Links are not followed; what can't be read is left out.
 *
 * @param folder  absolute
 */
export async function readAgentFiles(folder: string): Promise<{ root: string; agent: AgentFile }[]> {
  const found = new Map<string, { root: string; agent: AgentFile }>()
  if (!folder.startsWith('/') || folder.includes('\0')) return []
  const places = await placesOf()
  let root = folder.replace(/(?<=.)\/+$/, '')
  for (let level = 0; level < MAX_ABOVE; level++) {
    for (const place of places)
      for (const path of await filesIn(join(root, place.folder))) {
        const text = await readText(path)
        if (text === undefined) continue
        const agent = place.parse(text, path)
        if (!found.has(agent.name) && found.size < MAX_FILES) found.set(agent.name, { root, agent })
      }
    const above = dirname(root)
    if (hasRepository(root) || above === root) break
    root = above
  }
  return [...found.values()]
}

/** Where a name in the first has it before one in the next. */
async function placesOf(): Promise<HarnessAgentFiles[]> {
  const places = []
  for (const { agentFiles } of harnesses()) if (agentFiles !== null) places.push(await agentFiles())
  const [first] = places
  return first === undefined ? [] : [{ ...first, folder: OWN_FOLDER }, ...places]
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    if (!(await lstat(folder)).isDirectory()) return []
    const entries = await readdir(folder, { withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    return files.slice(0, MAX_FILES).map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const bytes = new Uint8Array(MAX_BYTES)
      const { bytesRead } = await file.read(bytes, 0, MAX_BYTES, 0)
      return new TextDecoder().decode(bytes.subarray(0, bytesRead)).replaceAll('\0', '')
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
