import { chmodSync, existsSync, mkdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../domain/errors'

/**
 * File systems on which SQLite's locks or shared memory are not reliable between hosts, by the number that `statfs` gives.
 * 9p and virtiofs are not among them: they are most often a virtual machine's own disk, seen by one kernel only.
 */
const NETWORK_FILESYSTEMS = new Map<number, string>([
  [0x6969, 'nfs'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x517b, 'smb'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x47504653, 'gpfs'],
  [0x19830326, 'beegfs'],
])
/** FUSE has one number for all; which one it is stands in the mount table. */
const FUSE = 0x65735546
const NETWORK_FUSE = /^fuse\.(sshfs|s3fs|gcsfuse|rclone|glusterfs|cephfs|ceph-fuse|goofys|davfs2?|curlftpfs|smbnetfs)/

/**
 * Makes the database's folder (0700) and refuses places where SQLite is not safe.
 *
 * @param allowNetwork  the person said that only one host uses the file.
 * @throws `invalid`  the folder is on a network file system.
 */
export function prepareFolder(path: string, allowNetwork: boolean): void {
  const folder = dirname(path)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('storage_readonly', `The folder ${folder} can't be created.`, {
      hint: 'Set LODELINE_HOME to a folder that you can write to.',
      cause,
    })
  }
  const name = allowNetwork ? undefined : networkFilesystem(folder)
  if (name === undefined) return
  throw new AppError('invalid', `The database ${path} would be on a network file system (${name}).`, {
    hint: 'Set LODELINE_HOME to a folder on a local disk, or use PostgreSQL (LODELINE_DATABASE_URL).',
    details: { path, filesystem: name },
  })
}

/** The network file system that `folder` is on; `undefined` for a local one or when the system does not say. */
export function networkFilesystem(folder: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  let type: number
  try {
    type = statfsSync(folder).type >>> 0
  } catch {
    return undefined
  }
  if (type !== FUSE) return NETWORK_FILESYSTEMS.get(type)
  const mount = mountType(folder)
  return mount !== undefined && NETWORK_FUSE.test(mount) ? mount : undefined
}

/** The type of the mount that holds `folder`, from the mount table: the longest mount point that is a prefix of it. */
function mountType(folder: string): string | undefined {
  let best: { length: number; type: string } | undefined
  for (const line of readText('/proc/self/mounts').split('\n')) {
    const [, point, type] = line.split(' ')
    if (point === undefined || type === undefined) continue
    const place = point.replaceAll('\\040', ' ')
    const holds = place === '/' || folder === place || folder.startsWith(`${place}/`)
    if (holds && (best === undefined || place.length >= best.length)) best = { length: place.length, type }
  }
  return best?.type
}

/** Takes the rights of group and others away from the database's files, where they are ours to change. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    } catch {
      // Not there yet, or somebody else's: SQLite gives -wal and -shm the mode of the main file.
    }
  }
}

/** SQLite's write lock of a WAL database is this byte of the -shm file. */
const WRITE_LOCK_BYTE = 120

/**
 * The process that holds the write lock, for an error message: `lode (pid 1234)`. Linux only; `undefined` when it can't be known, e.g.
 * because the lock was given back meanwhile.
 */
export function findLockHolder(path: string): string | undefined {
  const shm = `${path}-shm`
  if (process.platform !== 'linux' || !existsSync(shm)) return undefined
  const inode = String(statSync(shm).ino)
  for (const line of readText('/proc/locks').split('\n')) {
    // `1: POSIX  ADVISORY  WRITE 1234 fe:00:5678 120 120`; waiting ones have `->` and are no holders.
    const [, , , mode, pid, file, from, to] = line.trim().split(/\s+/)
    if (mode !== 'WRITE' || file?.split(':')[2] !== inode) continue
    if (Number(from) > WRITE_LOCK_BYTE || (to !== 'EOF' && Number(to) < WRITE_LOCK_BYTE)) continue
    const name = readText(`/proc/${pid}/comm`).trim()
    return name === '' ? `pid ${pid}` : `${name} (pid ${pid})`
  }
  return undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
