import { dirname, join, normalize, resolve } from 'node:path'
import manifest from '../package.json'

/** One `import` or `export … from` of a module. */
export interface ImportEdge {
  /** The importing file, relative to `src`. */
  from: string
  /** The imported file relative to `src`, or the name of a package or built-in module. */
  to: string
  /** True when `to` is a file of ours. */
  isOurs: boolean
  /** `static` runs with the module, `type` is erased, `lazy` is an `await import(…)`. */
  kind: 'static' | 'type' | 'lazy'
}

const SRC = resolve(import.meta.dir, '../src')

/** `#domain/*` to `./src/domain/*.ts`: the aliases that package.json declares for TypeScript, Bun and the bundler alike. */
const ALIASES = Object.entries(manifest.imports)

/** The source of `src` by path relative to it, tests left out. */
export async function sourceFiles(folder: string = SRC): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const path of [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: folder })].sort()) {
    if (/\.test\.tsx?$/.test(path)) continue
    files.set(path, await Bun.file(join(folder, path)).text())
  }
  return files
}

const STATEMENT = /^[ \t]*(import|export)\s+(type\s+)?(?:[^'"();=]*?\bfrom\s*)?['"]([^'"\n]+)['"]/gm
const LAZY = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g
export const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

/** Every import of every file. A relative path that names no file is kept as it is written, so that a rule can see it. */
export function importEdges(files: Map<string, string>): ImportEdge[] {
  return [...files].flatMap(([from, source]) => {
    const code = source.replace(COMMENT, '')
    const edges: ImportEdge[] = []
    for (const [, , type, specifier] of code.matchAll(STATEMENT)) {
      edges.push({ from, ...target(from, specifier ?? '', files), kind: type ? 'type' : 'static' })
    }
    for (const [, specifier] of code.matchAll(LAZY)) {
      edges.push({ from, ...target(from, specifier ?? '', files), kind: 'lazy' })
    }
    return edges
  })
}

function target(from: string, specifier: string, files: Map<string, string>): { to: string; isOurs: boolean } {
  const aliased = unaliased(specifier)
  if (aliased === null && !specifier.startsWith('.')) return { to: specifier, isOurs: false }
  const path = aliased ?? normalize(join(dirname(from), specifier))
  // Files are named from the repository's folder or from `src`.
  const candidates = [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts'), path.replace(/^src\//, '')]
  return { to: candidates.find((candidate) => files.has(candidate)) ?? path, isOurs: true }
}

/** `#domain/ids` as `src/domain/ids.ts`, from the repository's folder; `null` for what is no alias. */
function unaliased(specifier: string): string | null {
  for (const [alias, path] of ALIASES) {
    const prefix = alias.slice(0, -1)
    if (specifier.startsWith(prefix)) return normalize(path.replace('*', specifier.slice(prefix.length)))
  }
  return null
}

/** The layer that a file relative to `src` belongs to: its first folder, or the first two below `api`. */
export function layerOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first === 'api' ? `api/${second}` : first
}

/** What runs when `entry` is loaded: it and all that it imports statically, with the packages among them. */
export function staticClosure(
  entry: string,
  edges: ImportEdge[],
): { files: Set<string>; packages: Map<string, string> } {
  const files = new Set([entry])
  const packages = new Map<string, string>()
  for (const file of files) {
    for (const edge of edges) {
      if (edge.from !== file || edge.kind !== 'static') continue
      if (edge.isOurs) files.add(edge.to)
      else packages.set(edge.to, file)
    }
  }
  return { files, packages }
}

/** Groups of two and more files each of which is reached from every other by the given edges, the largest first (Tarjan). */
export function importGroups(edges: ImportEdge[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to, isOurs } of edges) if (isOurs) next.set(from, [...(next.get(from) ?? []), to])
  const order = new Map<string, number>()
  const open: string[] = []
  const groups: string[][] = []
  const visit = (file: string): number => {
    const own = order.size
    order.set(file, own)
    open.push(file)
    let low = own
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? own)
    }
    if (low === own) {
      const group = open.splice(open.indexOf(file))
      if (group.length > 1) groups.push(group.sort())
    }
    return low
  }
  for (const file of next.keys()) if (!order.has(file)) visit(file)
  return groups.sort((a, b) => b.length - a.length)
}
