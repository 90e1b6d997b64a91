import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** An S3-compatible server of our own, with the bucket `lode`. */
export interface S3Server {
  /** For the setting `blobs`: `below` is the prefix in the bucket. */
  url(below: string): string
  /** Takes no time any more: what is asked hangs. */
  pause(): void
  goOn(): void
  /** Kills it, so that connections are refused. What it acknowledged stays. */
  kill(): Promise<void>
  /** Starts it again, at its address. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts s3rver on a free port of 127.0.0.1, on an empty folder. It ends with this process. */
export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync('/tmp/ld-s3-')
  let { child, port } = await launch(folder, 0)
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await child.exited
  }
  return {
    url: (below) =>
      `s3://S3RVER:S3RVER@lode/${below}?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}&region=us-east-1`,
    pause: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    kill: end,
    async start() {
      ;({ child } = await launch(folder, port))
    },
    async stop() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(folder: string, at: number) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 's3-process.mjs'), folder, String(at)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH },
  })
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) return { child, port: Number(text) }
  throw new Error('the S3-compatible server did not start')
}
