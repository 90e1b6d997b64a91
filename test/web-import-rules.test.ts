import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { type ImportEdge, importEdges, importGroups, layerOf, sourceFiles } from './import-rules'

/** What each layer of the dashboard may import besides itself. `site` puts the pages together. */
const ALLOWED: Record<string, string[]> = {
  site: ['routes', 'shell', 'features', 'components', 'lib'],
  routes: ['features', 'components', 'lib'],
  shell: ['features', 'components', 'lib'],
  features: ['components', 'lib'],
  components: ['lib'],
  lib: [],
}

/** What any of them may import of `src`: what loads in a browser. */
const SHARED = ['api/contract', 'api/client', 'domain']

const root = resolve(import.meta.dir, '..')
const under = async (folder: string) =>
  [...(await sourceFiles(resolve(root, folder)))].map(([path, source]) => [`${folder}/${path}`, source] as const)
const files = new Map([...(await under('src')), ...(await under('web/src'))])
const edges = importEdges(files)

/** `web/src/features/task/task-state.tsx` is of `features`; files of `web/src` itself are of `site`. */
function webLayerOf(path: string): string {
  const [first = '', second = ''] = path.replace('web/src/', '').split('/')
  return second === '' ? 'site' : first
}

const isWeb = (path: string): boolean => path.startsWith('web/')

function broken({ from, to, isOurs }: ImportEdge): string | undefined {
  if (!isWeb(from)) {
    const why = 'a program can be built, tested and run without its pages'
    return isOurs && isWeb(to) ? `${from} imports ${to}: ${why}` : undefined
  }
  if (!isOurs) {
    return /^(node|bun):|^bun$/.test(to) ? `${from} imports ${to}: a browser has no such module` : undefined
  }
  if (to.startsWith('src/')) {
    if (SHARED.includes(layerOf(to.slice('src/'.length)))) return undefined
    return `${from} imports ${to}: the API is the only way in, and a browser loads nothing else of src`
  }
  const [layer, target] = [webLayerOf(from), webLayerOf(to)]
  if (!isWeb(to) || layer === target || ALLOWED[layer]?.includes(target)) return undefined
  return `${from} imports ${to}: routes and the shell show features, features are made of components, and lib knows none of them`
}

describe('the dashboard', () => {
  test('belongs to layers, file by file', () => {
    const web = [...files.keys()].filter(isWeb)
    expect(web.length).toBeGreaterThan(10)
    expect(web.filter((path) => ALLOWED[webLayerOf(path)] === undefined)).toEqual([])
  })

  test('imports in one direction, and of src only what loads in a browser', () => {
    expect(edges.map(broken).filter((sentence) => sentence !== undefined)).toEqual([])
  })

  test('names what it takes of src by the aliases of package.json', () => {
    const relative = [...files].filter(([path, source]) => isWeb(path) && /'(\.\.\/)+src\//.test(source))
    expect(relative.map(([path]) => path)).toEqual([])
    expect(edges.filter(({ from, to }) => isWeb(from) && to.startsWith('src/')).length).toBeGreaterThan(10)
    expect(edges.filter(({ from, to }) => isWeb(from) && to.startsWith('#'))).toEqual([])
  })

  test('needs no modules in a circle to be loaded', () => {
    expect(importGroups(edges.filter(({ from, kind }) => isWeb(from) && kind === 'static'))).toEqual([])
  })

  test('loads by what it takes of src no module of a server', () => {
    const seen = new Set<string>([...files.keys()].filter(isWeb))
    const foreign = new Set<string>()
    for (const file of seen) {
      for (const { to, isOurs, kind } of edges.filter(({ from }) => from === file)) {
        if (kind === 'type') continue
        if (isOurs) seen.add(to)
        else if (/^(node|bun):|^bun$/.test(to)) foreign.add(`${file} loads ${to}`)
      }
    }
    expect([...seen].some((path) => path.startsWith('src/api/client/'))).toBe(true)
    expect([...foreign]).toEqual([])
  })
})

describe('the rules themselves', () => {
  const edge = (from: string, to: string): ImportEdge => ({
    from,
    to,
    isOurs: /^(web|src)\//.test(to),
    kind: 'static',
  })
  test('refuse each wrong direction', () => {
    const wrong = [
      edge('src/domain/a.ts', 'web/src/lib/b.ts'),
      edge('web/src/lib/a.ts', 'web/src/components/b.tsx'),
      edge('web/src/lib/a.ts', 'web/src/router.tsx'),
      edge('web/src/components/ui/a.tsx', 'web/src/features/issue/b.tsx'),
      edge('web/src/features/a.tsx', 'web/src/shell/b.tsx'),
      edge('web/src/components/a.tsx', 'web/src/routes/b.tsx'),
      edge('web/src/lib/a.ts', 'src/engine/b.ts'),
      edge('web/src/lib/a.ts', 'src/api/server/b.ts'),
      edge('web/src/lib/a.ts', 'src/util/b.ts'),
      edge('web/src/lib/a.ts', 'node:fs'),
    ]
    expect(wrong.filter((each) => broken(each) === undefined)).toEqual([])
    const right = [
      edge('web/src/router.tsx', 'web/src/routes/a.tsx'),
      edge('web/src/features/issue/a.tsx', 'web/src/components/ui/b.tsx'),
      edge('web/src/lib/a.ts', 'src/api/client/b.ts'),
      edge('web/src/lib/a.ts', 'react'),
      edge('src/domain/a.ts', 'src/domain/b.ts'),
    ]
    expect(right.filter((each) => broken(each) !== undefined)).toEqual([])
  })
})
