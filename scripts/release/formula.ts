import manifest from '../../package.json' with { type: 'json' }
import { type Target, tarballName } from './targets'

/** A formula for Homebrew. `null` = Homebrew has a use for none of the packages. */
export function formula(
  version: string,
  url: string,
  packages: readonly { target: Target; sum: string }[],
): string | null {
  const blocks = [
    { system: 'on_macos', os: 'darwin' },
    { system: 'on_linux', os: 'linux' },
  ].flatMap(({ system, os }) => {
    const ones = packages.filter(({ target }) => target.os === os && target.libc !== 'musl')
    if (ones.length === 0) return []
    const lines = ones.flatMap(({ target, sum }) => [
      `    ${target.cpu === 'arm64' ? 'on_arm' : 'on_intel'} do`,
      `      url "${url.replace(/\/$/, '')}/${tarballName(target, version)}"`,
      `      sha256 "${sum}"`,
      '    end',
    ])
    return [`  ${system} do`, ...lines, '  end']
  })
  if (blocks.length === 0) return null
  return `${[
    'class Lodeline < Formula',
    `  desc "${manifest.description.replace(/\.$/, '').replace(/^The /, '')}"`,
    `  homepage "${url}"`,
    `  version "${version}"`,
    `  license "${manifest.license}"`,
    '',
    ...blocks,
    '',
    '  def install',
    '    bin.install "bin/lode"',
    '    prefix.install "plugin", ".claude-plugin"',
    '  end',
    '',
    '  service do',
    '    run [opt_bin/"lode", "up"]',
    '    keep_alive true',
    '  end',
    '',
    '  test do',
    '    assert_match version.to_s, shell_output("#{bin}/lode version")',
    '  end',
    'end',
  ].join('\n')}\n`
}
