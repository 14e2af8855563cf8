import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { parseSettings } from '../../src/gateway/workspace/settings.ts'

const PAGES = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...globSync('docs/**/*.md')]

const blocks = (page: string, language: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text ?? '',
  )

test('what programs print is what the docs say they print', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/docs.ts'], { encoding: 'utf8' })
  assert.equal(status, 0, `run "npx node scripts/docs.ts --write"\n${stdout}${stderr}`)
})

test('every example runs by itself', () => {
  for (const file of globSync('examples/*.ts')) {
    const { status, stderr } = spawnSync(process.execPath, ['--conditions=turnwise-source', file], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.equal(status, 0, `${file}: ${stderr}`)
    assert.ok(readFileSync(file, 'utf8').split('\n').length <= 41, `${file} has at most forty lines`)
  }
})

test('every settings block is accepted', () => {
  const settings = PAGES.flatMap(page => blocks(page, 'jsonc'))
  assert.ok(settings.length >= 2)
  for (const text of settings) {
    const parsed = parseSettings(text, { CHAT_TOKEN: 'a-token-of-some-length' })
    assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault.message)
  }
})

test('every shell block runs, beside a fresh gateway', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-docs-'))
  const env = {
    ...process.env,
    TURNWISE_HOME: join(folder, 'home'),
    TURNWISE_PORT: '0',
    TURNWISE_DEMO_DELAY_MS: '0',
    PATH: [folder, process.env.PATH].join(delimiter),
  }
  symlinkSync(resolve('bin/turnwise'), join(folder, 'turnwise'))
  const gateway = spawn(process.execPath, ['src/main.ts', 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(createInterface(gateway.stdout), 'line')) as [string]
    const url = /http:\/\/\S+/.exec(line)?.[0] ?? ''
    const scripts = PAGES.flatMap(page => blocks(page, 'sh'))
    assert.ok(scripts.length >= 2)
    for (const script of scripts) {
      const ran = spawnSync('bash', ['-euo', 'pipefail', '-c', script.replaceAll('http://127.0.0.1:4242', url)], {
        env,
        encoding: 'utf8',
        timeout: 60_000,
      })
      assert.equal(ran.status, 0, `${script}\n${ran.stdout}\n${ran.stderr}`)
      assert.doesNotMatch(ran.stdout, /"fault"/, script)
    }
  } finally {
    gateway.kill()
    await once(gateway, 'exit')
    rmSync(folder, { recursive: true })
  }
})

test('every link between the docs leads somewhere', () => {
  for (const page of PAGES) {
    for (const [, target] of readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      assert.ok(globSync(join(page, '..', target ?? '')).length === 1, `${page} links to ${target}`)
    }
  }
})
