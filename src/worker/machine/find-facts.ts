/** Finds out what this machine can do. Nothing of it is asked of a person; what can't be found is left out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { MACHINE_LIMITS, type MachineFacts } from '../../domain/machine/machine'
import { fetchedRemotes } from '../workplace/mirror'

/** A program that hangs is not waited for longer, in milliseconds. */
const ASK_MS = 5_000

export interface FactPlaces {
  /** That of all mirrors. */
  mirrors: string
  env: Readonly<Record<string, string | undefined>>
  /** Where the system shows its limits and devices; `/`. */
  root?: string
}

/** What stays as it is while the worker runs. */
export async function findMachine({ env, root = '/' }: FactPlaces): Promise<Omit<MachineFacts, 'repositories'>> {
  return {
    platform: process.platform,
    arch: process.arch,
    cores: availableParallelism(),
    memoryBytes: Math.min(totalmem(), limitOfContainer(root)),
    gpus: (await gpusOf(env, root)).slice(0, MACHINE_LIMITS.gpus),
  }
}

/** The remotes of its mirrors, by name, so that the same ones are always told alike; they become more while it runs. */
export const findRepositories = ({ mirrors }: Pick<FactPlaces, 'mirrors'>): string[] =>
  fetchedRemotes(mirrors).slice(0, MACHINE_LIMITS.repositories).sort()

/** In bytes; of control groups of both versions. */
function limitOfContainer(root: string): number {
  const limits = ['sys/fs/cgroup/memory.max', 'sys/fs/cgroup/memory/memory.limit_in_bytes']
    .map((file) => Number(textOf(join(root, file))))
    .filter((bytes) => Number.isSafeInteger(bytes) && bytes > 0)
  return Math.min(...limits, Number.POSITIVE_INFINITY)
}

async function gpusOf(env: FactPlaces['env'], root: string): Promise<string[]> {
  const told = await ask(env, ['nvidia-smi', '--query-gpu=name', '--format=csv,noheader'])
  if (told.length > 0) return told
  if (process.platform === 'darwin') return process.arch === 'arm64' ? ['Apple'] : []
  // AMD's driver: a node of the topology that has compute units.
  const nodes = join(root, 'sys/class/kfd/kfd/topology/nodes')
  if (!existsSync(nodes)) return []
  return readdirSync(nodes).flatMap((node) => {
    const isGpu = /^simd_count [1-9]/m.test(textOf(join(nodes, node, 'properties')))
    return isGpu ? [oneWord(textOf(join(nodes, node, 'name'))) || 'AMD'] : []
  })
}

/** The lines that a program prints; none where it is not there or fails. */
async function ask(env: FactPlaces['env'], words: readonly [string, ...string[]]): Promise<string[]> {
  const program = Bun.which(words[0], { PATH: env.PATH ?? '' })
  if (program === null) return []
  const asked = Bun.spawn([program, ...words.slice(1)], { env, stdin: 'ignore', stderr: 'ignore', timeout: ASK_MS })
  const [text, code] = await Promise.all([asked.stdout.text(), asked.exited])
  return code === 0 ? text.split('\n').map(oneWord).filter(Boolean) : []
}

const oneWord = (text: string): string => text.trim().slice(0, MACHINE_LIMITS.word)

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
