/**
 * The path from the root of a tree to one of its nodes, in order. A path that runs in a circle is cut where the circle
 * closes.
 */
export function wayTo<Node>(
  nodes: ReadonlyMap<string, Node>,
  leaf: string,
  parentOf: (node: Node) => string | null | undefined,
): Node[] {
  const way: Node[] = []
  const seen = new Set<string>()
  for (let id: string | null | undefined = leaf; id != null && !seen.has(id); ) {
    const node = nodes.get(id)
    if (node === undefined) break
    seen.add(id)
    way.push(node)
    id = parentOf(node)
  }
  return way.reverse()
}

/** The ids of the nodes without children. */
export function leavesOf<Node>(nodes: ReadonlyMap<string, Node>, parentOf: (node: Node) => string | null | undefined): string[] {
  const parents = new Set([...nodes.values()].map(parentOf))
  return [...nodes.keys()].filter(id => !parents.has(id))
}
