/**
 * The dashboard's files, from `web/`: scripts by Bun's bundler, one style sheet by Tailwind's compiler, and the page that names both.
 *
 * Every file but those at the root has the hash of its bytes in its name, so that a browser may keep it for ever.
 */
import { join } from 'node:path'
import { compile } from '@tailwindcss/node'
import { Scanner } from '@tailwindcss/oxide'

/** The icon for systems that take no SVG, of the same drawing; the last two fill their square, since the system cuts them. */
const PICTURES = ['icon-192.png', 'icon-512.png', 'icon-maskable.png', 'apple-touch-icon.png']

export interface WebFile {
  /** Below the root of the site, e.g. `assets/main-3f2a9c81.js`. */
  path: string
  bytes: Uint8Array
}

/** @param root  the repository's folder. @throws Error with the compilers' messages */
export async function bundleWeb(root: string): Promise<WebFile[]> {
  const web = join(root, 'web')
  const code = hashed('code-worker', 'js', await bundleWorker(web, 'code-worker'))
  const [scripts, worker, style, icon, manifest, page, pictures] = await Promise.all([
    bundleScripts(web, code.path),
    bundleWorker(web, 'service-worker'),
    compileStyle(web),
    Bun.file(join(web, 'icon.svg')).bytes(),
    Bun.file(join(web, 'app.webmanifest')).bytes(),
    Bun.file(join(web, 'index.html')).text(),
    Promise.all(PICTURES.map(async (path) => ({ path, bytes: await Bun.file(join(web, path)).bytes() }))),
  ])
  const css = hashed('app', 'css', new TextEncoder().encode(style))
  const svg = hashed('icon', 'svg', icon)
  const named = page
    .replace('/assets/main.js', `/${scripts.entry}`)
    .replace('/assets/app.css', `/${css.path}`)
    .replace('/assets/icon.svg', `/${svg.path}`)
  return [
    { path: 'index.html', bytes: new TextEncoder().encode(named) },
    { path: 'app.webmanifest', bytes: manifest },
    // For the manifest and notifications, which stay: their names do not change.
    { path: 'icon.svg', bytes: icon },
    ...pictures,
    // Its name stays: browsers look there for a newer one, and at the root it serves all pages.
    { path: 'service-worker.js', bytes: worker },
    code,
    css,
    svg,
    ...scripts.files,
  ]
}

/** @param codeWorker  where the page finds the worker that colours code */
async function bundleScripts(web: string, codeWorker: string): Promise<{ entry: string; files: WebFile[] }> {
  const result = await Bun.build({
    entrypoints: [join(web, 'src/main.tsx')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    sourcemap: 'none',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.CODE_WORKER': JSON.stringify(`/${codeWorker}`) },
    naming: { entry: 'assets/[name]-[hash].[ext]', chunk: 'assets/[name]-[hash].[ext]' },
    plugins: [
      {
        name: 'entities',
        // The library's own sets `innerHTML`, which the content security policy refuses.
        setup: (build) =>
          void build.onResolve({ filter: /^markdown-to-jsx\/entities$/ }, () => ({
            path: join(web, 'src/lib/entities.ts'),
          })),
      },
    ],
  })
  if (!result.success) throw new AggregateError(result.logs, 'the dashboard could not be bundled')
  const files = await Promise.all(
    result.outputs.map(async (output) => ({
      path: output.path.replace(/^\.?\//, ''),
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  )
  const entry = result.outputs.find((output) => output.kind === 'entry-point')?.path.replace(/^\.?\//, '')
  if (entry === undefined) throw new Error('the bundler gave no entry point')
  return { entry, files }
}

/** A script of its own in one file, which imports nothing. */
async function bundleWorker(web: string, name: string): Promise<Uint8Array> {
  const result = await Bun.build({
    entrypoints: [join(web, `src/${name}.ts`)],
    target: 'browser',
    format: 'iife',
    minify: true,
    sourcemap: 'none',
  })
  const [output] = result.outputs
  if (!result.success || output === undefined) throw new AggregateError(result.logs, `${name} could not be bundled`)
  return new Uint8Array(await output.arrayBuffer())
}

async function compileStyle(web: string): Promise<string> {
  const base = join(web, 'src')
  const compiler = await compile(await Bun.file(join(base, 'app.css')).text(), { base, onDependency: () => {} })
  const scanner = new Scanner({ sources: [{ base, pattern: '**/*.{ts,tsx}', negated: false }] })
  return compiler.build(scanner.scan())
}

function hashed(name: string, extension: string, bytes: Uint8Array): WebFile {
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 8)
  return { path: `assets/${name}-${hash}.${extension}`, bytes }
}
