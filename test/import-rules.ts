import { dirname, join, normalize, resolve } from 'node:path'

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
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

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
  if (!specifier.startsWith('.')) return { to: specifier, isOurs: false }
  const path = normalize(join(dirname(from), specifier))
  const candidates = [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts')]
  return { to: candidates.find((candidate) => files.has(candidate)) ?? path, isOurs: true }
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

/** One cycle for each group of modules whose loading needs one another (erased and lazy imports do not load): `a → b → a`. */
export function importCycles(edges: ImportEdge[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to, isOurs, kind } of edges) {
    if (isOurs && kind === 'static') next.set(from, [...(next.get(from) ?? []), to])
  }
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]) => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push([...path.slice(start), file].join(' → '))
    if (start >= 0 || done.has(file)) return
    for (const to of next.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return cycles
}
