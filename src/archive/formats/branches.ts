/** The way from the beginning to one end of a tree, in order; one that leads in a circle is left where it closes. */
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

/** Nodes that nothing follows. */
export function leavesOf<Node>(nodes: ReadonlyMap<string, Node>, parentOf: (node: Node) => string | null | undefined): string[] {
  const parents = new Set([...nodes.values()].map(parentOf))
  return [...nodes.keys()].filter(id => !parents.has(id))
}
