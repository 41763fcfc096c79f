// A reader of transparency logs that knows nothing of the platform: it opens the checkpoint of a log with its key, reads tiles over HTTP, and
// checks that they are of one tree, that entries are its leaves, and that the trees of random sizes are its beginnings.
package main

import (
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type reader struct {
	prefix string
	read   int
}

func (r *reader) get(path string) []byte {
	answer, err := http.Get(r.prefix + "/" + path)
	check(err)
	defer answer.Body.Close()
	bytes, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != 200 {
		check(fmt.Errorf("%s: %s", path, answer.Status))
	}
	return bytes
}

func (r *reader) Height() int { return height }

func (r *reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(tiles))
	for i, tile := range tiles {
		found[i] = r.get(strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		r.read++
	}
	return found, nil
}

func (r *reader) SaveTiles([]tlog.Tile, [][]byte) {}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	r := &reader{prefix: os.Args[1]}
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	opened, err := note.Open(r.get("checkpoint"), note.VerifierList(verifier))
	check(err)
	lines := strings.SplitN(opened.Text, "\n", 4)
	var size int64
	_, err = fmt.Sscanf(lines[1], "%d", &size)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	tree := tlog.Tree{N: size, Hash: root}
	hashes := tlog.TileHashReader(tree, r)

	pairs := 200
	for i := 0; i < pairs; i++ {
		n := rand.Int63n(size)
		proof, err := tlog.ProveRecord(size, n, hashes)
		check(err)
		leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
		check(err)
		check(tlog.CheckRecord(proof, size, root, n, leaf[0]))

		before := 1 + rand.Int63n(size)
		old, err := tlog.TreeHash(before, hashes)
		check(err)
		path, err := tlog.ProveTree(size, before, hashes)
		check(err)
		check(tlog.CheckTree(path, size, root, before, old))
	}
	entries := r.get("tile/entries/000")
	first, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, 0)})
	check(err)
	length := int(entries[0])<<8 | int(entries[1])
	if tlog.RecordHash(entries[2:2+length]) != first[0] {
		check(fmt.Errorf("the first entry is not the first leaf"))
	}
	fmt.Printf("%d leaves, %d pairs, %d tiles\n", size, pairs, r.read)
}
