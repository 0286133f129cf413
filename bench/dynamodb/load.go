// SPDX-License-Identifier: Apache-2.0

// The Go SDK under the same load as perdure_dynamodb_load, which prints the same.
//
//	load get http://127.0.0.1:8000 16 20000 item.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	stdhttp "net/http"
)

type attributes = map[string]types.AttributeValue

// Of the letters that item.json has.
func value(letters map[string]json.RawMessage) types.AttributeValue {
	for letter, raw := range letters {
		switch letter {
		case "S":
			return &types.AttributeValueMemberS{Value: decoded[string](raw)}
		case "N":
			return &types.AttributeValueMemberN{Value: decoded[string](raw)}
		case "BOOL":
			return &types.AttributeValueMemberBOOL{Value: decoded[bool](raw)}
		case "SS":
			return &types.AttributeValueMemberSS{Value: decoded[[]string](raw)}
		case "M":
			return &types.AttributeValueMemberM{Value: values(raw)}
		}
		log.Fatalf("no such letter here: %s", letter)
	}
	return nil
}

func values(raw []byte) attributes {
	found := attributes{}
	for name, letters := range decoded[map[string]map[string]json.RawMessage](raw) {
		found[name] = value(letters)
	}
	return found
}

func decoded[T any](raw []byte) (value T) {
	must(json.Unmarshal(raw, &value))
	return value
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func processorSeconds() float64 {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

type load struct {
	client  *dynamodb.Client
	put     bool
	workers int
	item    []byte
}

// One client for all workers, each with a key of its own.
func (l *load) work(worker int, calls int) []time.Duration {
	key := &types.AttributeValueMemberS{Value: fmt.Sprintf("o#%02d", worker%64)}
	get := &dynamodb.GetItemInput{TableName: aws.String("bench"), Key: attributes{"pk": key}}
	put := &dynamodb.PutItemInput{TableName: aws.String("bench"), Item: values(l.item)}
	put.Item["pk"] = key
	times := make([]time.Duration, 0, calls)
	for i := 0; i < calls; i++ {
		began := time.Now()
		if l.put {
			_, err := l.client.PutItem(context.Background(), put)
			must(err)
		} else {
			answer, err := l.client.GetItem(context.Background(), get)
			must(err)
			if len(answer.Item) != 10 || answer.Item["pk"].(*types.AttributeValueMemberS).Value != key.Value {
				log.Fatal("not the item expected")
			}
		}
		times = append(times, time.Since(began))
	}
	return times
}

func (l *load) run(calls int) []time.Duration {
	times := make([][]time.Duration, l.workers)
	var all sync.WaitGroup
	for i := range times {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			share := calls / l.workers
			if i < calls%l.workers {
				share++
			}
			times[i] = l.work(i, share)
		}(i)
	}
	all.Wait()
	var joined []time.Duration
	for _, each := range times {
		joined = append(joined, each...)
	}
	return joined
}

func main() {
	workers, err := strconv.Atoi(os.Args[3])
	must(err)
	calls, err := strconv.Atoi(os.Args[4])
	must(err)
	item, err := os.ReadFile(os.Args[5])
	must(err)
	l := &load{put: os.Args[1] == "put", workers: workers, item: item}
	l.client = dynamodb.New(dynamodb.Options{
		Region:           "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider("AKIDEXAMPLEEXAMPLE00", "not-a-secret", ""),
		EndpointResolver: dynamodb.EndpointResolverFromURL(os.Args[2]),
		// The default keeps ten idle connections and would make the sixteen workers connect again and again.
		HTTPClient: http.NewBuildableClient().WithTransportOptions(func(t *stdhttp.Transport) {
			t.MaxIdleConnsPerHost = workers
		}),
	})
	l.run(20 * workers)
	processor, began := processorSeconds(), time.Now()
	times := l.run(calls)
	seconds, used := time.Since(began).Seconds(), processorSeconds()-processor
	sort.Slice(times, func(a, b int) bool { return times[a] < times[b] })
	microseconds := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))].Nanoseconds()) / 1e3
	}
	fmt.Printf("{\"requests\": %d, \"seconds\": %.6f, \"processor\": %.6f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
		len(times), seconds, used, microseconds(0.5), microseconds(0.99))
}
