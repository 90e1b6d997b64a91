/** A package registry on loopback with the packages of a release. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packTar, unpackTar } from 'modern-tar'
import { TARGETS } from '../../scripts/release/targets'

interface Manifest {
  name: string
  version: string
}

interface Served {
  manifest: Manifest
  file: string
  integrity: string
}

export interface LocalRegistry {
  url: string
  /** Names of the files that were fetched. */
  readonly fetched: readonly string[]
  /** The same packages become the newest under this version. */
  publish(version: string): Promise<void>
  stop(): Promise<void>
}

/**
 * Serves the packages of `folder`. A system's package that was not made is named with its system, as in the real registry, but cannot be
 * fetched: npm must not ask for it.
 */
export async function localRegistry(folder: string): Promise<LocalRegistry> {
  const files = new Map<string, Buffer>()
  const packages = new Map<string, Served>()
  async function add(file: string, bytes: Buffer): Promise<void> {
    const manifest = await manifestOf(bytes)
    files.set(file, bytes)
    packages.set(manifest.name, {
      manifest,
      file,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    })
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz')))
    await add(file, readFileSync(join(folder, file)))
  const fetched: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    fetch(request) {
      const path = decodeURIComponent(new URL(request.url).pathname).slice(1)
      const file = files.get(path.replace(/^-\//, ''))
      if (path.startsWith('-/')) {
        fetched.push(path.slice(2))
        return file ? new Response(new Uint8Array(file)) : new Response('', { status: 404 })
      }
      const document = documentOf(path)
      return document ? Response.json(document) : Response.json({ error: 'Not found' }, { status: 404 })
    },
  })
  function documentOf(name: string): object | undefined {
    const made = packages.get(name)
    const target = TARGETS.find((each) => `@lodeline/${each.name}` === name)
    if (made === undefined && target === undefined) return undefined
    const { version } = served(packages.get('lodeline')).manifest
    const manifest = made?.manifest ?? {
      name,
      version,
      os: [target?.os],
      cpu: [target?.cpu],
      ...(target?.libc && { libc: [target.libc] }),
    }
    const dist = { tarball: `${server.url}-/${made?.file ?? `${target?.name}.tgz`}`, integrity: made?.integrity }
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
  }
  async function publish(version: string): Promise<void> {
    for (const [file, bytes] of [...files])
      await add(file.replace(/-\d[^-]*\.tgz$/, `-${version}.tgz`), await repacked(bytes, version))
  }
  return { url: server.url.toString(), fetched, publish, stop: () => server.stop(true) }
}

function served(one: Served | undefined): Served {
  if (one === undefined) throw new Error('The folder has no package of the name lodeline.')
  return one
}

async function manifestOf(tarball: Buffer): Promise<Manifest> {
  const entries = await unpackTar(Bun.gunzipSync(new Uint8Array(tarball)), {
    filter: ({ name }) => name === 'package/package.json',
  })
  return JSON.parse(new TextDecoder().decode(entries[0]?.data)) as Manifest
}

/** The same package under another version, as a later release. */
async function repacked(tarball: Buffer, version: string): Promise<Buffer> {
  const entries = await unpackTar(Bun.gunzipSync(new Uint8Array(tarball)))
  const next = entries.map(({ header, data }) => {
    const bytes = data ?? new Uint8Array()
    if (header.name !== 'package/package.json') return { header, body: bytes }
    const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest & { optionalDependencies?: object }
    const { optionalDependencies: systems } = manifest
    const names = Object.keys(systems ?? {}).map((name) => [name, version])
    const body = JSON.stringify({
      ...manifest,
      version,
      ...(systems && { optionalDependencies: Object.fromEntries(names) }),
    })
    return { header: { ...header, size: Buffer.byteLength(body) }, body }
  })
  return Buffer.from(Bun.gzipSync(await packTar(next), { level: 1, library: 'libdeflate' }))
}
